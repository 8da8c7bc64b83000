"""The colours and marks of all figures: of studies and of plots.

The palette is that of Okabe and Ito (2008), which people with any kind of
colour vision can tell apart; marks differ as well, for print without colour.
"""

PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#000000",
    "#8C6D1F",
    "#7F7F7F",
    "#5D3A9B",
    "#44AA99",
)
STANDS_OUT = "#D55E00"
RECEDES = "#9A9A9A"
MARKS = "os^Dv<>phX"
