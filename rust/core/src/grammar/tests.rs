use super::*;

fn printed(text: &str) -> String {
    parse_list(text).unwrap().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn one_form_is_printed() {
    for (text, form) in [
        ("ndcg@10", "nDCG@10"),
        (
            "nDCG( dcg = 'exp-log2' , gains={2: 3,1:1} )'@10",
            "nDCG(dcg=\"exp-log2\",gain={1:1,2:3})'@10",
        ),
        ("nDCG(dcg=\"log2\")", "nDCG"),
        ("RBP", "RBP(p=0.8)"),
        ("RBP(residual=0.1)@10", "RBP(residual=0.1)@10"),
        ("AP.prime@10 AP(judged_only=True) AP(rel=2).prime@5", "AP'@10 AP' AP(rel=2)'@5"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("map recip_rank MRR@10 f1", "AP RR RR@10 SetF"),
        ("F F@5 AveP avep@10 NumRet(rel=2)", "SetF SetF@5 AP AP@10 num_rel_ret(rel=2)"),
        ("AP,nDCG@10, RR ,P@5", "AP nDCG@10 RR P@5"),
        (",AP,,RR, ,", "AP RR"),
        ("AP,NCUgu,BR,ncurb,P RR", "AP NCU NCU(stop=\"rb\",x=\"P\") RR"),
        ("P.5,10,RR", "P@5 P@10 RR"),
        (
            "P@5,10 nDCG(gain={1:1,2:3})@5,10,AP",
            "P@5 P@10 nDCG(gain={1:1,2:3})@5 nDCG(gain={1:1,2:3})@10 AP",
        ),
        ("IPrec@0.1,.5,1 P(rel=2)'@1,2", "IPrec@0.1 IPrec@0.5 IPrec@1 P(rel=2)'@1 P(rel=2)'@2"),
        ("AP,utility_1,-1,0,0,P+Q@3", "AP Utility P+Q@3"),
        ("P_5 p.5,10 NDCG_cut_10 recall_100 ndcg_at_10", "P@5 P@5 P@10 nDCG@10 R@100 nDCG@10"),
        ("success_1 hit_rate@3 r_cap_at_5 relative_P.5", "Success@1 Success@3 Rcap@5 Rcap@5"),
        ("Utility.prime judged.prime@5 Judged.prime", "Utility' Judged'@5 Judged'"),
        ("Rprec_mult_0.20 Rprec_mult..5,1", "Rprec(mult=0.2) Rprec(mult=0.5) Rprec"),
        (
            "utility utility.1,-1,0,0 utility_-2,0.5,-3,0",
            "Utility Utility Utility(tp=-2,fp=0.5,fn=-3)",
        ),
        ("D_nDCG(gamma=0.5)@10 D-ndcg@5 d#-q", "D#-nDCG@10 D-nDCG@5 D#-Q"),
        ("DIN#-nDCG(gamma=0.25)'@3 ec_AP", "DIN#-nDCG(gamma=0.25)'@3 EC-AP"),
        (
            "IA-nERR(stop='exp',max_rel=3)@5 AP_IA nDCG_IA IA#-P@5",
            "IA-nERR(max_rel=3)@5 AP_IA IA-nDCG IA#-P@5",
        ),
        ("P+Q@10 PplusQ#@5 P+Q(gamma=0.5) P+Q(gamma=0)", "P+Q@10 P+Q#@5 P+Q# P+Q"),
        ("set_relative_P ideal_dcg Rndcg ndcg_rel bing", "SetRcap iDCG RnDCG nDCG_rel binG"),
        (
            "prefs_simp prefs_simp_ret prefs_simp_imp",
            "Pref Pref(over=\"retrieved\") Pref(over=\"implied\")",
        ),
        (
            "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret",
            "num_prefs num_prefs_ful num_prefs_ful(over=\"retrieved\")",
        ),
    ] {
        assert_eq!(printed(text), form, "{text}");
        assert_eq!(printed(form), form, "{text}");
    }
}

#[test]
fn nicknames_stand_for_several() {
    assert_eq!(parse_list("ndcg_cut").unwrap().len(), 9);
    assert_eq!(printed("recall success").split(' ').count(), 12);
    assert!(
        printed("official").starts_with("num_ret num_rel num_rel_ret AP GMAP Rprec bpref RR P@5")
    );
    assert_eq!(parse_list("Rprec_mult").unwrap().len(), 10);
    assert!(parse_list("all_trec").unwrap().len() > 70);
}

#[test]
fn mistakes_are_explained() {
    for (text, kind, part) in [
        ("D-alpha_nDCG@5", Kind::Parameter, "reads more than grades"),
        ("D-infNDCG@5", Kind::Parameter, "reads more than grades"),
        ("D#-Q(gamma=2)@5", Kind::Parameter, "from 0 to 1 as gamma"),
        ("EC#-Q", Kind::Measure, "unknown measure"),
        ("EC-Q(gamma=0.5)", Kind::Parameter, "has no parameter `gamma`"),
        ("DIN-nope", Kind::Measure, "unknown measure"),
        ("nDGC@10", Kind::Measure, "did you mean nDCG@10?"),
        ("nDGC@ten", Kind::Measure, "did you mean nDCG?"),
        ("P", Kind::Parameter, "needs a cutoff, as in P@10"),
        ("P@inf", Kind::Parameter, "expected a cutoff"),
        ("Q(beta=-inf)", Kind::Parameter, "expected a number"),
        ("Q(beta=1e999)", Kind::Parameter, "expected a number"),
        ("Q(beta=-1)", Kind::Parameter, "at least 0 or inf as beta, found -1"),
        ("RBP(p=inf)", Kind::Parameter, "at least 0 and below 1 as p, found inf"),
        ("infAP(epsilon=inf)", Kind::Parameter, "at least 0 as epsilon, found inf"),
        ("AP(rel=inf)", Kind::Parameter, "at least 0 as rel"),
        ("nDCG(gain={1:inf})", Kind::Parameter, "expected a gain"),
        ("P@0", Kind::Parameter, "whole number from 1 to"),
        ("P@2.5", Kind::Parameter, "whole number from 1 to"),
        ("bpref@10", Kind::Parameter, "takes no cutoff"),
        ("RBP(p=1)", Kind::Parameter, "of at least 0 and below 1 as p, found 1"),
        ("RBP(p=0.5,residual=0.1)@3", Kind::Parameter, "not both"),
        ("RBP(residual=0.1)", Kind::Parameter, "needs a cutoff"),
        ("RBP(q=0.5)", Kind::Parameter, "has no parameter `q`"),
        ("nDCG(rel=2)@10", Kind::Parameter, "has no parameter `rel`"),
        ("nDCG(dcg=\"log\")", Kind::Parameter, "\"log2\", \"exp-log2\", \"jk\""),
        ("nDCG(dcg=\"log2\"", Kind::Parameter, "expected `,` or `)`"),
        ("nDCG@", Kind::Parameter, "expected a cutoff"),
        ("RBP(p=[0.5,0.8])", Kind::Parameter, "write a measure for each value"),
        ("D-micro_P", Kind::Parameter, "weighs topics"),
        ("nDCG@10x", Kind::Parameter, "expected a cutoff"),
        ("nDCG'@10)", Kind::Parameter, "expected the end"),
        ("infAP'", Kind::Parameter, "condensed"),
        ("IPrec@2", Kind::Parameter, "from 0 to 1"),
        ("ERR@20", Kind::Parameter, "ERR(max_rel=3)@20"),
        ("iprec_at_recall_0.10", Kind::Measure, "IPrec@0.1"),
        ("set_F.0.5", Kind::Measure, "beta squared"),
        ("11pt_avg", Kind::Measure, "IAP"),
        ("11pt_avg_.25,.5,.75", Kind::Measure, "IAP"),
        ("11pt", Kind::Measure, "IAP"),
        ("AP,11pt", Kind::Measure, "IAP"),
        ("NumQ", Kind::Measure, "len(scores.topics)"),
        ("nRBP(residual=0.1)", Kind::Parameter, "nRBP(residual=0.1)@10"),
        ("P@5,10x", Kind::Measure, "unknown measure"),
        ("AP,10", Kind::Measure, "unknown measure"),
        ("P@5, 10", Kind::Measure, "unknown measure"),
        ("P@5,2.5", Kind::Parameter, "whole number from 1 to"),
        ("P@5;RR", Kind::Parameter, "spaces or commas separate measures"),
        (",", Kind::Measure, "expected a measure"),
        ("rbp.95", Kind::Measure, "RBP(p=0.95)"),
        ("utility.1,-1", Kind::Parameter, "expected 4 numbers"),
        ("prefs_simp_ret.5", Kind::Parameter, "expected no number"),
        ("Rprec_mult_0", Kind::Parameter, "a number above 0 as mult"),
        ("relstring_20", Kind::Measure, "not a number but the grades"),
        ("num_q", Kind::Measure, "len(scores.topics)"),
        ("runid", Kind::Measure, "run.tag"),
        ("prefs_pair_imp", Kind::Measure, "with one judge it is Pref"),
        ("prefs_avgjg_Rnonrel", Kind::Measure, "with one it is Pref"),
        ("P_avgjg.5", Kind::Measure, "with one it is P@10"),
        ("accuracy@1", Kind::Parameter, "Accuracy@1 elsewhere is Success@1 here"),
        ("Accuracy(rel=2)'@10", Kind::Parameter, "is Success@10 here"),
        ("EC-Accuracy@5", Kind::Parameter, "is Success@5 here"),
        ("accuracy_at_3", Kind::Parameter, "is Success@3 here"),
        ("accuracy_3", Kind::Measure, "is Success@3; of the set it is Accuracy"),
        ("accuracy.1,5", Kind::Measure, "is Success@5"),
        ("acc@1", Kind::Measure, "is Success@1;"),
        ("top_k_accuracy@20", Kind::Measure, "is Success@20;"),
        ("hits@10", Kind::Measure, "write Success@10 for that"),
        ("Hits_at_3", Kind::Measure, "num_rel_ret with depth=3"),
        ("HR@5", Kind::Measure, "is Success@5; the proportion of them that are is R@5"),
        ("hit-ratio@5", Kind::Measure, "Success@5"),
        ("hits", Kind::Measure, "Success@10"),
        ("all_prefs", Kind::Measure, "num_prefs num_prefs_ful Pref"),
        ("R@tokens=0", Kind::Parameter, "a whole number of at least 1 as tokens, found 0"),
        ("R@tokens=-5", Kind::Parameter, "found -5"),
        ("R@chars=2.5", Kind::Parameter, "a whole number of at least 1 as chars, found 2.5"),
        ("R@cost=0", Kind::Parameter, "a number above 0 as cost, found 0"),
        ("R@cost=nan", Kind::Parameter, "a number of cost"),
        ("R@cost=inf", Kind::Parameter, "a number of cost"),
        ("R@token=5", Kind::Parameter, "did you mean tokens?"),
        ("R@=5", Kind::Parameter, "one of chars, tokens, cost, calls before `=`"),
        ("R@tokens", Kind::Parameter, "expected a cutoff"),
        ("R@tokens=5@3", Kind::Parameter, "expected the end of the measure"),
        ("P@tokens=5", Kind::Parameter, "use SetP@tokens=5"),
        ("nDCG@cost=0.5", Kind::Parameter, "use enDCG@cost=0.5"),
        ("aAP@calls=2", Kind::Parameter, "use AP@calls=2"),
        ("Rcap@chars=9", Kind::Parameter, "use R@chars=9"),
        ("SDCG@tokens=9", Kind::Parameter, "use DCG@tokens=9"),
        ("nERR@tokens=9", Kind::Parameter, "use ERR(max_rel=3)@tokens=9"),
        ("bpref@tokens=9", Kind::Parameter, "takes no budget as cutoff; those that do are R,"),
        ("R'@tokens=9", Kind::Parameter, "use R@tokens=9"),
        ("RBP(residual=0.1)@tokens=9", Kind::Parameter, "needs a cutoff to choose p"),
        ("", Kind::Measure, "expected a measure"),
    ] {
        let error = parse_list(text).expect_err(text);
        assert_eq!(error.kind(), kind, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

#[test]
fn budgets_are_cutoffs() {
    for (text, again) in [
        ("R@tokens=4000", "R@tokens=4000"),
        ("recall@TOKENS=1", ""),
        ("AP @ chars = 50", "AP@chars=50"),
        ("RBP(p=0.5)@cost=0.25", "RBP(p=0.5)@cost=0.25"),
        ("EC-R(rel=2)@calls=1e3", "EC-R(rel=2)@calls=1000"),
        ("R@tokens=100,200", "R@tokens=100 R@tokens=200"),
    ] {
        let text = text.replace(" @ ", "@").replace(" = ", "=");
        match parse_list(&text) {
            Ok(_) => assert_eq!(printed(&text), again),
            Err(error) => assert!(again.is_empty(), "{text}: {error}"),
        }
    }
    assert_ne!(parse("R@tokens=5").unwrap(), parse("R@chars=5").unwrap());
    assert_ne!(parse("R@tokens=5").unwrap(), parse("R@5").unwrap());
}

/// A name that people say leads to what is written, and never to another measure.
#[test]
fn names_in_words_say_what_to_write() {
    for (text, said) in [
        ("mean average precision", "`mean average precision` is written AP"),
        ("Hit rate", "`Hit rate` is written Success@10"),
        ("precision at 5", "`precision at 5` is written P@5"),
        ("Normalized Discounted Cumulative Gain@20", "is written nDCG@20"),
        ("expected reciprocal rank", "is written ERR(max_rel=3)"),
        ("map-l2", "did you mean AP(rel=2)?"),
        ("hr@10", "is Success@10"),
        ("hits@10", "write Success@10"),
        ("acc@1", "is Success@1"),
        ("accuracy@1", "is Success@1 here"),
    ] {
        let error = super::parse_list(text).unwrap_err();
        assert!(error.message().contains(said), "{text}: {}", error.message());
    }
}
