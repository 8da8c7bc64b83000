//! Families by their names.

use super::families::FAMILIES;
use super::family::Family;

/// The family of a name or another spelling of it, a hyphen as an underscore.
/// Two names may differ in case alone (nRBP and NRBP); then only those very
/// spellings are names.
pub fn find(name: &str) -> Option<&'static Family> {
    let is = |family: &Family, same: &dyn Fn(&str) -> bool| {
        let about = &family.about;
        same(about.name) || about.aliases.iter().any(|alias| same(alias))
    };
    let exact = FAMILIES.iter().find(|family| is(family, &|other| other == name));
    exact.copied().or_else(|| {
        let mut alike =
            FAMILIES.iter().filter(|family| is(family, &|other| same_letters(other, name)));
        alike.next().filter(|_| alike.next().is_none()).copied()
    })
}

/// Whether two names are the same but for case, and for hyphens and underscores.
pub(crate) fn same_letters(one: &str, other: &str) -> bool {
    let letter = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    one.bytes().map(letter).eq(other.bytes().map(letter))
}

/// What a program calls measures: pairs of our spelling and its own, such as `AP`
/// and `map`, `AP@10` and `map_cut_10`, in the order of the registry. Its first
/// spelling of a measure is taken, also if its values differ
/// ([`Peer::difference`](super::Peer)).
pub fn spellings(tool: &str) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &str)> = Vec::new();
    for family in FAMILIES {
        for peer in family.peers.iter().filter(|peer| peer.tool == tool) {
            let measure = match rank_of(peer.spelling) {
                Some(rank) if family.takes.cutoff.is_rank() => {
                    format!("{}@{rank}", family.about.name)
                }
                _ => family.about.name.to_string(),
            };
            if found.iter().all(|(known, _)| *known != measure) {
                found.push((measure, peer.spelling));
            }
        }
    }
    found
}

/// The rank that a spelling ends with: `ndcg_cut_10`, `ndcg@10`.
fn rank_of(spelling: &str) -> Option<u32> {
    spelling.rsplit_once(['_', '@'])?.1.parse().ok()
}
