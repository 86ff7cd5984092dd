
BprobabilitiesJ(ΞΧ3Lώσ4[ux2[`07΄¦4κώ?΄Ώς3qΕ5τ®6’›ΐ5