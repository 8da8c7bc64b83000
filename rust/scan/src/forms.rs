//! Tables for numbers of the same form: the same sign, and as many digits before the point.

/// The bytes to subtract from a number and the highest values that remain,
/// without and with a sign, by the digits before the point.
pub(crate) static BYTES: [[[[u8; 16]; 2]; 16]; 2] = {
    let mut all = [[[[b'0'; 16], [9; 16]]; 16]; 2];
    let mut first = 0;
    while first < 2 {
        let mut whole = 0;
        while whole < 16 {
            let [zeros, most] = &mut all[first][whole];
            if first == 1 {
                (zeros[0], most[0]) = (b'-', 0);
            }
            let point = first + whole;
            if point < 16 {
                (zeros[point], most[point]) = (b'.', 0);
            }
            whole += 1;
        }
        first += 1;
    }
    all
};

/// The shuffles that gather the digits of a number, without and with a sign, by the
/// digits before the point and by the requested decimals; an index with its top bit
/// set gives a zero.
pub(crate) static ORDERS: [[[[u8; 16]; 16]; 16]; 2] = {
    let mut all = [[[[0x80; 16]; 16]; 16]; 2];
    let mut place = 0;
    while place < 2 * 16 * 16 * 16 {
        let (first, whole, decimals, from) =
            (place >> 12, place >> 8 & 15, place >> 4 & 15, place & 15);
        let point = first + whole;
        let to = 16 + from - decimals - (from > point) as usize;
        if from >= first && from != point && to >= point && to - point < 16 {
            all[first][whole][decimals][to - point] = from as u8;
        }
        place += 1;
    }
    all
};
