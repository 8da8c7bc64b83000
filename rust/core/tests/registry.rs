//! The registry's promises: every family is described, every example is
//! right, no file is forgotten, no name means two things.

use std::collections::HashSet;

use cranfield_core::evaluate::Options;
use cranfield_core::grammar::{least, parse, parse_list};
use cranfield_core::measure::{Cutoff, FAMILIES, FILES, FORMS, Needs, find};

use crate::common;

#[test]
fn every_family_is_described() {
    for family in FAMILIES.iter().chain(FORMS) {
        let texts = [
            family.about.summary,
            family.about.prose,
            family.about.formula,
            family.about.citation,
            family.about.group,
            family.about.range,
        ];
        assert!(texts.iter().all(|text| !text.is_empty()), "{} lacks a text", family.about.name);
        assert!(
            family.about.summary.ends_with('.') && family.about.prose.ends_with('.'),
            "{}",
            family.about.name
        );
        assert!(!family.examples.is_empty(), "{} has no example", family.about.name);
    }
}

#[test]
fn every_example_is_right() {
    for family in FAMILIES.iter().chain(FORMS) {
        for example in family.examples {
            let measures = parse_list(example.measure).unwrap();
            assert_eq!(measures.len(), 1);
            assert_eq!(measures[0].over, family.sees.over);
            if !family.about.name.ends_with('-') {
                assert_eq!(measures[0].family.about.name, family.about.name);
            }
            assert_eq!(measures[0].to_string(), example.measure, "an example is in canonical form");
            let qrels = common::worked(example.judgments, Some(100));
            let ranking = common::list(example.list);
            let scores =
                common::scores_under(qrels, &measures, &ranking, Options::default()).unwrap();
            let found = scores.values[0];
            assert!(
                (found - example.value).abs() < 1e-12,
                "{}: {found} is not {}",
                example.measure,
                example.value
            );
        }
    }
}

#[test]
fn what_other_programs_compute_is_a_measure_as_it_is_printed() {
    for family in FAMILIES.iter().chain(FORMS) {
        for here in family.peers.iter().filter_map(|peer| peer.here) {
            let measures = parse_list(here).unwrap();
            assert_eq!(measures.iter().map(ToString::to_string).collect::<Vec<_>>(), [here]);
        }
    }
}

/// Names of programs that are measures here, but not those that the program computes: our own
/// name came first, as the pages of both say.
const OTHERWISE_HERE: &[(&str, &str)] = &[
    ("NTCIREVAL", "AP@0010"),
    ("NTCIREVAL", "RBP"),
    ("NTCIREVAL", "nDCG@0010"),
    ("NTCIREVAL", "rpref_N"),
    ("RBU.java", "RBU"),
    ("gdeval", "ndcg@20"),
    ("ir_measures", "Accuracy"),
    ("ir_measures", "SetF(beta=4.0)"),
    ("pyNTCIREVAL", "AP@0010"),
    ("pyNTCIREVAL", "RBP"),
    ("pyNTCIREVAL", "nDCG@0010"),
    ("ranx", "recall"),
    ("sample_eval", "infAP"),
    ("statAP_MQ_eval", "AP"),
    ("statAP_MQ_eval", "Prec_at_30"),
    ("statAP_MQ_eval", "R-prec"),
    ("statAP_MQ_eval 4", "varAP"),
    ("trec_eval 8.1", "bpref"),
    ("trec_eval 8.1", "bpref_10"),
    ("trec_eval 8.1", "bpref_allnonrel"),
    ("trec_eval 8.1", "bpref_num_all"),
    ("trec_eval 8.1", "bpref_num_correct"),
    ("trec_eval 8.1", "bpref_num_possible"),
    ("trec_eval 8.1", "micro_bpref"),
];

/// Any other name that is taken means what its program computes.
#[test]
fn a_name_means_what_its_program_computes() {
    let mut otherwise = Vec::new();
    for family in FAMILIES {
        for peer in family.peers {
            let Ok(taken) = parse_list(peer.spelling) else { continue };
            let same = match peer.here {
                Some(here) => taken.len() == 1 && taken[0].to_string() == here,
                None => taken.iter().all(|one| one.family.about.name == family.about.name),
            };
            if !same {
                otherwise.push((peer.tool, peer.spelling));
            }
        }
    }
    otherwise.sort_unstable();
    otherwise.dedup();
    assert_eq!(otherwise, OTHERWISE_HERE);
}

/// What a family is written as in its documentation can be computed.
#[test]
fn what_is_written_first_works() {
    for family in FAMILIES {
        let written = least(family);
        let forms: &[&str] = match family.takes.cutoff {
            Cutoff::None | Cutoff::Elsewhere(_) => &[""],
            Cutoff::Optional => &["", "@10"],
            Cutoff::Required => &["@10"],
            Cutoff::Recall => &["@0.1"],
        };
        for form in forms {
            let text = format!("{written}{form}");
            assert!(parse_list(&text).is_ok(), "{text}");
        }
    }
    let of = |name: &str| least(find(name).unwrap());
    assert_eq!(
        ["nDCG", "ERR", "nERR", "IFT", "RBP"].map(of),
        ["nDCG", "ERR(max_rel=3)", "nERR(max_rel=3)", "IFT(T=1,b1=1,R1=1)", "RBP"]
    );
}

#[test]
fn estimates_are_those_that_read_a_sample() {
    for family in FAMILIES {
        let reads = matches!(family.sees.needs, Needs::Strata | Needs::Sample);
        let name = family.about.name;
        let by_marks = ["infAP", "subAP", "subAP_expected"].contains(&name);
        assert_eq!(family.estimates(), reads || by_marks, "{name}");
    }
}

#[test]
fn no_file_is_an_orphan() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/measure/families");
    let files: HashSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            Some(entry.unwrap().file_name().to_str()?.strip_suffix(".rs")?.to_string())
        })
        .filter(|name| name != "mod" && name != "forms")
        .collect();
    assert_eq!(files, FILES.iter().map(ToString::to_string).collect());
}

#[test]
fn no_name_means_two_things() {
    let mut seen = HashSet::new();
    for family in FAMILIES {
        for name in std::iter::once(&family.about.name).chain(family.about.aliases) {
            // nRBP is normalised, NRBP looks for what is new: two papers' names.
            let key = if *name == "NRBP" { (*name).to_string() } else { name.to_lowercase() };
            let key = key.replace(' ', "_");
            assert!(seen.insert(key), "{name} is taken");
        }
    }
}

#[test]
fn names_that_differ_in_case_alone_are_taken_as_they_are_written() {
    assert_ne!(parse("nRBP").unwrap(), parse("NRBP").unwrap());
    assert!(parse("nrbp").unwrap_err().message().starts_with("unknown measure"));
}

#[test]
fn every_family_prints_as_it_reads() {
    for family in FAMILIES {
        let measure = parse(family.about.name).unwrap();
        assert_eq!(parse(&measure.to_string()).unwrap(), measure);
        for alias in family.about.aliases {
            match parse(alias) {
                Ok(read) => assert_eq!(read, measure, "{alias}"),
                // How people say it: the error has what to write.
                Err(error) => {
                    assert!(alias.contains(' '), "{alias}");
                    let written = format!("is written {}", least(family));
                    let listed = parse_list(alias).unwrap_err();
                    assert!(listed.message().contains(&written), "{}, {error}", listed.message());
                }
            }
        }
    }
}
