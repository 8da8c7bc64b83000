//! Properties of measures: each is stated once, with the measures that have it
//! and those that do not, and tested on random lists.
//!
//! A family that is on neither side of a property fails the first test, so
//! that a new one forces a decision. Those that have a property must show it
//! on every list; those that lack it must fail on at least one, so that
//! neither side holds a measure by mistake.
//!
//! Families that need a column of the judgments beside grades are exempt: the
//! lists here have grades only. Their test is `columns.rs`.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cranfield_core::error::Kind;
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::{check_prime, parse, parse_list};
use cranfield_core::measure::{Better, Cutoff, FAMILIES, Family, Gain, Measure, Needs};
use cranfield_core::qrels::Builder;
use cranfield_core::run::{Lines, Run};
use cranfield_core::scores::{Scores, Undefined};

const TOLERANCE: f64 = 1e-12;

/// Random lists come in collections of so many topics, and so many of these.
const BATCH: usize = 100;
const BATCHES: usize = 100;

/// The families that grades are enough for.
fn on_grades() -> impl Iterator<Item = &'static Family> {
    FAMILIES.iter().copied().filter(|family| family.sees.needs == Needs::Nothing)
}

/// A statement about measures: where it holds and where it does not. A family
/// can be on both sides with different arguments.
struct Property {
    about: &'static str,
    has: &'static str,
    lacks: &'static str,
}

impl Property {
    fn has(&self) -> Vec<Measure> {
        parse_list(self.has).unwrap()
    }

    fn lacks(&self) -> Vec<Measure> {
        if self.lacks.is_empty() { Vec::new() } else { parse_list(self.lacks).unwrap() }
    }
}

/// No value is outside of [0, 1]. The others are sums, or what a user reads,
/// gains and spends in all.
const BOUNDED: Property = Property {
    about: "bounded in [0, 1]",
    has: "MP MP(states=\"relevant\",recall=False)@3 Twist@20 Twist@3 Twist(out=\"rho\")@5 Twist(out=\"sigma\")@3 micro_AP micro_P micro_R micro_bpref bpref(top=\"10R\",above=\"5R\") RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R Hole@3 Compat(p=0.5) Compat(p=0.95)@3 P@1 P@3 R@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0 \
          IPrec@0.3 IPrec@1 PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) \
          MaxF MaxF(beta=2)@3 MaxF(alpha=0.1) AUC SetP SetP@3 SetR SetR@3 SetF SetF(beta=2)@3 \
          SetF(alpha=0) SetF(alpha=1) E E(alpha=0.2)@3 SetAP SetAP@3 Accuracy Accuracy@3 \
          Specificity Specificity@3 Fallout Fallout@3 nDCG nDCG@3 nDCG(dcg=\"exp-log2\")@3 \
          nDCG(dcg=\"jk\") nDCG(dcg=\"jk\",base=5)@7 nDCG(gain={1:5,2:1,3:0.1}) \
          nDCG(gain={0:1,1:3})@4 enDCG enDCG@3 enDCG(dcg=\"log2\") RBP(p=0.5) RBP(p=0.99) \
          RBP(residual=0.1)@5 RBP(p=0.8,max_rel=3) RBP_residual(p=0.5) RBP_residual(p=0.95)@3 \
          nRBP(p=0.5) nRBP(p=0.95)@3 ERR(max_rel=3) ERR(max_rel=4)@3 ERR(stop=\"ntcir\") \
          nERR(max_rel=3) nERR(max_rel=4)@3 nERR(stop=\"ntcir\") \
          nERR(max_rel=3,gain={1:3,2:1,3:2})@2 Q Q@3 Q(beta=10) \
          Q(beta=0.1,gain={1:1,2:10,3:100}) GAP GAP@3 GAP(thresholds=\"uniform\") \
          GAP(gain={1:3,2:2,3:1})@2 bpref bpref(top=\"all\") bpref(top=1) \
          bpref(top=\"10+R\",nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=2) \
          bpref(nonrel=\"retrieved\",first=3) bpref_R bpref_N old_bpref bpref_10 bpref_relative \
          rpref_N rpref_N@3 rpref_N(top_gain=\"topic\") rpref_N(top_gain=3,skip_first=True) \
          rpref_N(unretrieved=\"literal\") rpref_N(unretrieved=\"literal\")@3 \
          rpref_N(partitions=3) rpref_N(gain={1:100,2:10,3:1}) rpref_relative rpref_relative@3 \
          rpref_relative(skip_first=False) rpref_relative(unretrieved=\"literal\")@2 \
          rpref_relative(partitions=4) rpref_relative2 rpref_relative2@3 \
          rpref_relative2(unretrieved=\"literal\") rpref_relative2(partitions=2) infAP \
          infAP(epsilon=0) infAP(epsilon=5) subAP subAP(p=0.5,seed=3) subAP_expected \
          subAP_expected(p=0.3) Judged Judged@3 Unjudged Unjudged@3 Rprec(mult=0.5) \
          Rprec(mult=1.5) SetRcap SetRcap@3 binG G G(gain={1:5,2:1,3:0.1}) RnDCG \
          RnDCG(dcg=\"jk\") nDCG_rel nDCG_rel(dcg=\"exp-log2\") gm_bpref Pref Pref@3 \
          Pref(over=\"retrieved\")@3 Pref(over=\"implied\")@3 Pref(nonrel=\"R\") \
          Pref(over=\"retrieved\",nonrel=\"R\")@3 Pref(over=\"implied\",nonrel=\"R\")@3 \
          INST(T=1) INST(T=2,max_rel=3)@5 INST(T=1,unjudged=\"best\")@10 \
          INST(T=1,unjudged=\"residual\")@10 INSQ(T=1)@20 INSQ(T=1,unjudged=\"residual\")@10 \
          BPM(T=1,K=10) BPM(T=2,K=5,hb=1,hc=1)@10 BPM(T=1,K=5,unjudged=\"residual\")@10 \
          IFT(T=2)@20 IFT(T=2,A=0.2,max_rel=3)@20 IFT(T=1,unjudged=\"residual\")@10 SDCG@3 \
          SDCG(max_rel=3)@10 NPV(rate=0.1)@20 NPV(rate=1,max_rel=3)@10 NERR8@3 \
          NERR8(max_rel=4)@5 NERR9@3 NERR9(max_rel=3)@10 NERR10(p=0.9)@20 \
          NERR10(p=0.9,max_rel=4)@10 NERR11(T=1)@20 NERR11(T=2,max_rel=3)@10 TBG(halflife=224) \
          TBG(halflife=2,max_rel=3)@10 U(L=1000)@20 U(L=5,max_rel=3)@10 EBR \
          EBR(max_rel=4,beta=10)@3 EBR(max_rel=3,stop=\"exp\") iRBU(p=0.99) \
          iRBU(p=0.5,max_rel=4)@3 O O(beta=10)@3 PMeasure PMeasure(beta=10)@3 PPlus \
          PPlus(gain={1:1,2:10,3:100})@5 NCU NCU(x=\"P\")@3 NCU(stop=\"rb\") \
          NCU(stop=\"rb\",x=\"P\",gamma=0.5) NCU(gain={1:1,2:10,3:100})",
    lacks: "CRP CRP@3 bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible CG CG@3 DCG DCG@3 DCG(dcg=\"exp-log2\") DCG(dcg=\"jk\") iDCG iDCG(dcg=\"jk\")@3 yaap \
            Utility Utility(tp=0.5,fp=0,fn=-1,tn=0.1)@3 num_prefs num_prefs(over=\"retrieved\")@5 \
            num_prefs_ful num_prefs_ful(nonrel=\"R\") num_ret num_rel num_rel_ret \
            num_nonrel_judged_ret INST(T=1,out=\"ETU\")@10 INST(T=1,out=\"ED\")@10 \
            INSQ(T=1,out=\"ETC\")@5 SDCG(out=\"ETU\")@5 ESL(wanted=1) ESL(wanted=3)",
};

/// The list holds all judged documents and nothing else, best grade first.
///
/// P, `SetP` and their relatives count the judged documents at the end; cut
/// below R, a divisor that is not cut stays out of reach; RBP and ERR leave
/// weight to what nobody can retrieve; the relative forms skip rank 1; the
/// smoothing of `infAP` allows for documents that are not there; Pref is 0
/// where all judged documents have the same gain; users who read on beyond the
/// relevant documents, or want more than there is, gain less than 1 a document,
/// unless one of the highest gain always ends the search.
const ONE_ON_THE_IDEAL_LIST: Property = Property {
    about: "1 on the ideal list",
    has: "MP MP(steps=\"local\",states=\"relevant\") MP(states=\"relevant\",recall=False)@3 Twist Twist@100 Twist(out=\"sigma\")@30 micro_AP micro_R RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R Compat(p=0.5) Compat(p=0.95)@3 P@1 R@100 R(rel=2)@100 Rcap@1 Rcap@3 Rcap@100 Success@1 Success@3 Rprec Rprec(rel=2) \
          RR RR@1 AP AP(rel=2) AP@100 aAP@1 aAP@3 aAP@100 GMAP IPrec@0 IPrec@0.3 IPrec@1 \
          PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) MaxF MaxF(beta=2) \
          MaxF(alpha=0.1)@100 AUC SetR SetF(alpha=0) nDCG nDCG@1 nDCG@3 nDCG(dcg=\"exp-log2\")@3 \
          nDCG(dcg=\"jk\") nDCG(dcg=\"jk\",base=5)@7 nDCG(gain={1:1,2:10,3:100}) enDCG enDCG@100 \
          enDCG(dcg=\"log2\") nRBP(p=0.5) nRBP(p=0.95)@3 nERR(max_rel=3) nERR(max_rel=4)@3 \
          nERR(stop=\"ntcir\") Q Q@1 Q@3 Q(beta=10) Q(beta=0) Q(gain={1:1,2:10,3:100})@2 GAP \
          GAP@1 GAP@3 GAP(thresholds=\"uniform\")@2 bpref bpref(top=\"all\") bpref(top=1) \
          bpref(nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=2) bpref_R \
          bpref_N old_bpref bpref_10 rpref_N rpref_N(top_gain=\"topic\") rpref_N(partitions=4) \
          rpref_N(unretrieved=\"literal\") rpref_N@100 rpref_relative(skip_first=False) \
          rpref_relative2 rpref_relative2(partitions=3) rpref_relative2@100 infAP(epsilon=0) \
          subAP subAP(p=0.5) subAP_expected subAP_expected(p=0.5) Judged Judged@3 \
          Rprec(mult=0.5) SetRcap SetRcap@3 binG G G(gain={1:1,2:10,3:100}) RnDCG \
          RnDCG(dcg=\"exp-log2\") nDCG_rel nDCG_rel(dcg=\"jk\") gm_bpref \
          Pref(over=\"retrieved\",nonrel=\"R\") Pref(nonrel=\"R\") BPM(T=1,K=10) NERR8@3 NERR9@3 \
          NERR10(p=0.9)@20 NERR11(T=1)@20 O O@1 O(beta=10)@3 PMeasure PMeasure@3 PPlus \
          PPlus(beta=10)@3 NCU NCU(x=\"P\") NCU(stop=\"rb\") NCU(stop=\"rb\",x=\"P\",gamma=0.5) \
          NCU(gain={1:1,2:10,3:100})",
    lacks: "MP@2 CRP Twist@3 micro_P micro_bpref bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible Hole@3 INST(T=1)@20 INST(T=2,max_rel=3)@5 INSQ(T=1)@20 BPM(T=2,K=5,max_rel=3) BPM(T=3,K=4) \
            IFT(T=2)@20 IFT(A=0.2)@20 SDCG@3 SDCG(max_rel=3)@10 NPV(rate=0.1)@20 \
            NERR8(max_rel=4)@5 NERR9(max_rel=3)@10 NERR10(p=0.9,max_rel=4)@10 \
            NERR11(T=2,max_rel=3)@10 TBG(halflife=224)@20 U(L=5,max_rel=3)@10 ESL(wanted=1) \
            ESL(wanted=3) EBR EBR(max_rel=4,beta=10)@3 iRBU(p=0.99) iRBU(p=0.5,max_rel=4)@3 \
            NCU@3 Rprec(mult=1.5) Utility yaap iDCG Pref Pref@3 num_prefs num_prefs_ful \
            num_nonrel_judged_ret P@3 R@2 AP@2 SetP SetP@3 SetR@2 SetF SetF@3 E SetAP Accuracy Specificity Fallout CG \
            DCG DCG@3 enDCG@2 RBP(p=0.8) RBP(residual=0.1)@3 RBP(p=0.5,max_rel=3) \
            RBP_residual(p=0.8) ERR(max_rel=3) ERR(stop=\"ntcir\") bpref_relative rpref_N@2 \
            rpref_N(skip_first=True) rpref_relative rpref_relative2@2 infAP MaxF@2 num_ret \
            num_rel num_rel_ret Unjudged",
};

/// The prime is the list without its unjudged documents, and nothing more.
/// Those that estimate from unjudged documents refuse it.
const CONDENSED: Property = Property {
    about: "the prime is the condensed list",
    has: "MP MP(states=\"relevant\")@3 CRP CRP@3 Twist Twist@3 micro_AP micro_P micro_R micro_bpref RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible Compat(p=0.5) Compat(p=0.95)@3 P@3 R@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0.3 \
          PrecAtRecall@0.3 IAP MaxF MaxF(beta=2)@3 AUC SetP SetP@3 SetR SetR@3 SetF SetF@3 E E@3 \
          SetAP SetAP@3 Accuracy Accuracy@3 Specificity Specificity@3 Fallout Fallout@3 CG CG@3 \
          DCG DCG(dcg=\"exp-log2\")@3 nDCG nDCG@3 nDCG(dcg=\"jk\") enDCG enDCG@3 RBP(p=0.5) \
          RBP(residual=0.1)@5 RBP(p=0.8,max_rel=3) RBP_residual(p=0.5) RBP_residual(p=0.95)@3 \
          nRBP(p=0.5) nRBP(p=0.95)@3 ERR(max_rel=3) ERR(stop=\"ntcir\")@3 nERR(max_rel=3) \
          nERR(max_rel=4)@3 Q Q@3 Q(beta=10) GAP GAP@3 bpref bpref(top=1) \
          bpref(nonrel=\"retrieved\") bpref(first=2) bpref_R bpref_N old_bpref bpref_10 \
          bpref_relative rpref_N rpref_N@3 rpref_N(partitions=3) \
          rpref_N(unretrieved=\"literal\")@3 rpref_relative rpref_relative@3 rpref_relative2 \
          rpref_relative2@3 num_ret num_rel num_rel_ret Judged Judged@3 Unjudged \
          Rprec(mult=1.5) SetRcap SetRcap@3 Utility Utility(tn=0.5)@3 yaap binG G iDCG iDCG@3 \
          RnDCG nDCG_rel gm_bpref Pref Pref(over=\"implied\")@3 Pref(nonrel=\"R\")@3 num_prefs \
          num_prefs(over=\"retrieved\")@3 num_prefs_ful num_prefs_ful(nonrel=\"R\")@3 \
          num_nonrel_judged_ret INST(T=1) INST(T=1,unjudged=\"best\")@10 \
          INST(T=2,max_rel=3,out=\"ED\")@5 INSQ(T=1)@20 INSQ(T=1,unjudged=\"residual\")@10 \
          BPM(T=1,K=10) BPM(T=2,K=5,hb=1,hc=1)@10 IFT(T=2)@20 IFT(T=2,A=0.2,max_rel=3)@20 SDCG@3 \
          SDCG(max_rel=3)@10 NPV(rate=0.1)@20 NPV(rate=1,max_rel=3)@10 NERR8@3 \
          NERR8(max_rel=4)@5 NERR9@3 NERR9(max_rel=3)@10 NERR10(p=0.9)@20 \
          NERR10(p=0.9,max_rel=4)@10 NERR11(T=1)@20 NERR11(T=2,max_rel=3)@10 \
          TBG(halflife=224)@20 TBG(halflife=2,max_rel=3)@10 U(L=1000)@20 U(L=5,max_rel=3)@10 \
          ESL(wanted=1) ESL(wanted=3) EBR EBR(max_rel=4,beta=10)@3 iRBU(p=0.99) \
          iRBU(p=0.5,max_rel=4)@3 O O(beta=10)@3 PMeasure PMeasure(beta=10)@3 PPlus PPlus@3 NCU \
          NCU(stop=\"rb\",x=\"P\")@3",
    lacks: "Hole@3 infAP subAP subAP_expected",
};

/// Unjudged documents, pooled or not, put anywhere into the list. All forms
/// with a prime have the property; this is about those without.
const BLIND_TO_UNJUDGED: Property = Property {
    about: "blind to unjudged documents",
    has: "micro_R micro_bpref bpref(top=\"10R\",above=\"5R\") bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible bpref bpref(rel=2) bpref(top=\"all\") bpref(top=\"10+R\") bpref(nonrel=\"retrieved\") \
          bpref(divisor=\"retrieved\") bpref(first=2) bpref_R bpref_N old_bpref bpref_10 \
          bpref_relative rpref_N rpref_N(top_gain=\"topic\") rpref_N(unretrieved=\"literal\") \
          rpref_N(partitions=3) rpref_N(skip_first=True) rpref_relative \
          rpref_relative(skip_first=False) rpref_relative(partitions=4) rpref_relative2 \
          rpref_relative2(unretrieved=\"literal\") SetR SetF(alpha=0) subAP(p=0) \
          subAP_expected(p=0) num_rel num_rel_ret iDCG iDCG@3 gm_bpref Pref Pref(nonrel=\"R\") \
          Pref(over=\"implied\") Pref(over=\"retrieved\",nonrel=\"R\") num_prefs \
          num_prefs(over=\"retrieved\") num_prefs_ful num_nonrel_judged_ret",
    lacks: "MP MP(states=\"relevant\") CRP CRP@3 Twist micro_AP micro_P RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R Hole@3 Compat(p=0.5) INST(T=1)@20 INST(T=1,unjudged=\"residual\")@10 INSQ(T=1)@20 BPM(T=1,K=10) \
            IFT(T=2)@20 IFT(A=0.2)@20 SDCG@3 NPV(rate=0.1)@20 NERR8@3 NERR9@3 NERR10(p=0.9)@20 \
            NERR11(T=1)@20 TBG(halflife=224)@20 U(L=1000)@20 ESL(wanted=1) ESL(wanted=3) EBR \
            EBR(max_rel=4,beta=10)@3 iRBU(p=0.99) O O@1 PMeasure PPlus NCU \
            NCU(stop=\"rb\",x=\"P\") Rprec(mult=1.5) SetRcap Utility yaap binG G RnDCG nDCG_rel Pref@3 \
            num_prefs(over=\"implied\")@3 num_prefs_ful@3 P@3 R@3 Rcap@3 Success@2 Rprec RR AP aAP@3 GMAP IPrec@0 PrecAtRecall@0.3 IAP MaxF \
            AUC SetP SetR@3 SetF E SetAP Accuracy Specificity Fallout CG@3 DCG nDCG enDCG \
            RBP(p=0.8) RBP_residual(p=0.8) nRBP(p=0.8) ERR(max_rel=3) nERR(max_rel=3) Q GAP \
            rpref_N@3 rpref_relative@3 rpref_relative2@3 infAP subAP(p=0.5) subAP(p=1) \
            subAP_expected(p=0.5) num_ret Judged Unjudged",
};

/// What an exchange of any two judged documents improves or leaves.
macro_rules! improved {
    () => {
        "MP(states=\"relevant\",distance=\"none\") Twist(out=\"sigma\")@20 micro_AP micro_P micro_R RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R bpref(top=\"10R\",above=\"5R\") bpref_num_all bpref_num_ret bpref_num_possible Hole@3 Compat(p=0.5) Compat(p=0.95)@3 P@1 P@3 R@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0 \
         IPrec@0.3 IPrec@1 PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) MaxF \
         MaxF(beta=2)@3 AUC SetP SetP@3 SetR SetR@3 SetF SetF@3 E E@3 SetAP SetAP@3 Accuracy \
         Accuracy@3 Specificity Specificity@3 Fallout Fallout@3 CG CG@3 DCG DCG@3 \
         DCG(dcg=\"exp-log2\")@3 DCG(dcg=\"jk\",base=4) nDCG nDCG@3 nDCG(dcg=\"jk\")@5 enDCG \
         enDCG@3 RBP(p=0.5) RBP(residual=0.1)@3 RBP(p=0.8,max_rel=3) RBP_residual(p=0.8) \
         RBP_residual(p=0.8)@3 nRBP(p=0.5) nRBP(p=0.95)@3 ERR(max_rel=3) ERR(max_rel=4)@3 \
         ERR(stop=\"ntcir\") nERR(max_rel=3) nERR(stop=\"ntcir\")@3 Q(beta=0) GAP GAP@3 \
         GAP(thresholds=\"uniform\")@2 bpref bpref(top=\"all\") bpref(top=1) \
         bpref(nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=2) bpref_R bpref_N \
         old_bpref bpref_10 bpref_relative rpref_N rpref_N(top_gain=\"topic\") \
         rpref_N(unretrieved=\"literal\") rpref_N(unretrieved=\"literal\")@3 \
         rpref_N(partitions=3) rpref_relative rpref_relative@3 \
         rpref_relative(skip_first=False)@3 rpref_relative(unretrieved=\"literal\")@2 \
         rpref_relative(partitions=4) rpref_relative2 rpref_relative2@3 \
         rpref_relative2(unretrieved=\"literal\")@3 subAP subAP(p=0.5) subAP_expected \
         subAP_expected(p=0.5) num_ret num_rel num_rel_ret Judged Judged@3 Unjudged Unjudged@3 \
         Rprec(mult=0.5) Rprec(mult=1.5) SetRcap SetRcap@3 Utility Utility(tp=3,fp=-1,fn=-2)@3 \
         yaap binG iDCG iDCG@3 RnDCG RnDCG(dcg=\"exp-log2\") gm_bpref Pref Pref@3 \
         Pref(over=\"implied\") Pref(over=\"retrieved\") Pref(over=\"implied\")@3 num_prefs num_prefs(over=\"retrieved\") \
         num_prefs_ful num_prefs_ful@3 num_prefs_ful(over=\"retrieved\") num_nonrel_judged_ret \
         INST(T=1)@20 INST(T=2,max_rel=3)@5 INSQ(T=1)@20 INSQ(T=1,unjudged=\"residual\")@10 \
         BPM(T=1,K=10) BPM(T=3,K=4) IFT(T=1,R1=0)@20 SDCG@3 SDCG(max_rel=3)@10 NPV(rate=0.1)@20 \
         NPV(rate=1,max_rel=3)@10 NERR8@3 NERR8(max_rel=4)@5 NERR9@3 NERR9(max_rel=3)@10 \
         NERR10(p=0.9)@20 NERR10(p=0.9,max_rel=4)@10 NERR11(T=1)@20 NERR11(T=2,max_rel=3)@10 \
         TBG(halflife=224)@20 TBG(halflife=2,max_rel=3)@10 U(L=1000)@20 U(L=5,max_rel=3)@10 \
         ESL(wanted=1) ESL(wanted=3) iRBU(p=0.99) iRBU(p=0.5,max_rel=4)@3 O@1 O(beta=0) \
         NCU(stop=\"rb\",x=\"P\") NCU(stop=\"rb\",x=\"P\",gamma=0.5)"
    };
}

/// Two adjacent judged documents change places and the better one comes first.
///
/// With a cutoff, or without the first document, `rpref_N` changes the documents
/// that it sums over, and a better one can have the lower term. The smoothing
/// of `infAP` lets a document judged not relevant above a relevant one speak
/// for documents that nobody judged; the default epsilon needs 100,000 of them.
/// G discounts a document little that closes the gap to the ideal list, and a
/// poor one above narrows the gap. With a cutoff the list decides which
/// retrieved pairs are compared. EBR, NCU with stop="gu", `PMeasure` and `PPlus` look
/// most at the rank of the better document, and what stands there is worth more
/// when the poorer one is above. Users of BPM and IFT who have enough earlier
/// leave the next document unread. The user of MP is seldom at the ends of a list,
/// and more often at the document that moved up. CRP is no score, and recovers (rho) where
/// documents that are late make up for early ones.
const BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST: Property = Property {
    about: "better when the better neighbour comes first",
    has: concat!(
        improved!(),
        " Q Q@3 Q(beta=10) Q(gain={1:1,2:10,3:100})@4 infAP(epsilon=0) nDCG_rel nDCG_rel(dcg=\"jk\") \
         Pref(nonrel=\"R\") Pref(over=\"retrieved\",nonrel=\"R\") O O(beta=10)@3 NCU(stop=\"rb\") \
         NCU(stop=\"rb\",gamma=0.5)@3"
    ),
    lacks: "MP MP(steps=\"local\") CRP Twist Twist(out=\"rho\") micro_bpref bpref_num_correct EBR EBR@3 EBR(max_rel=3,stop=\"exp\") PMeasure PMeasure(beta=10) PPlus \
            PPlus@3 NCU NCU@3 NCU(x=\"P\") BPM(T=2,K=5,hb=1,hc=1)@10 BPM(T=1,K=10,max_rel=3) \
            IFT(T=2)@20 IFT(A=0.2)@20 rpref_N@3 rpref_N(skip_first=True) infAP(epsilon=1) G Pref(over=\"retrieved\")@3 num_prefs(over=\"retrieved\")@3",
};

/// As above, for any two judged documents of the list.
///
/// Q compares what was gained so far with the ideal list at the same rank, so
/// a document of low gain on a high rank leaves a large gap, and so does nDCG at
/// that rank, of which `nDCG_rel` is the mean; so O and NCU have it with Q's
/// blended ratio; `infAP` counts the pooled
/// documents that are passed over as relevant at the rate of those above; a
/// document without gain costs Pref nothing where it is not among the first R.
const BETTER_WITH_THE_BETTER_FIRST: Property = Property {
    about: "better when the better document comes first",
    has: improved!(),
    lacks: "MP MP(steps=\"local\") CRP Twist Twist(out=\"rho\") micro_bpref bpref_num_correct O O(beta=10)@3 NCU(stop=\"rb\") EBR EBR@3 EBR(max_rel=3,stop=\"exp\") PMeasure PMeasure(beta=10) PPlus \
            PPlus@3 NCU NCU@3 NCU(x=\"P\") BPM(T=2,K=5,hb=1,hc=1)@10 BPM(T=1,K=10,max_rel=3) \
            IFT(T=2)@20 IFT(A=0.2)@20 Q Q@3 Q(beta=10) rpref_N@3 rpref_N(skip_first=True) infAP infAP(epsilon=0) infAP(epsilon=1) G \
            nDCG_rel Pref(nonrel=\"R\") Pref(over=\"retrieved\",nonrel=\"R\") Pref(over=\"retrieved\")@3 num_prefs(over=\"retrieved\")@3",
};

/// A gain map that permutes the grades does what other grades would.
const GAINS_STAND_FOR_GRADES: Property = Property {
    about: "a gain map is another set of grades",
    has: "CRP CRP@3 Twist Twist@3 Compat(p=0.5) Compat(p=0.95)@3 CG CG@3 DCG DCG(dcg=\"exp-log2\")@3 DCG(dcg=\"jk\") nDCG nDCG@3 \
          nDCG(dcg=\"jk\",base=5)@7 enDCG@3 ERR(max_rel=3) ERR(stop=\"ntcir\")@3 \
          nERR(max_rel=3)@3 nERR(stop=\"ntcir\") Q Q@3 Q(beta=10) GAP GAP@3 \
          GAP(thresholds=\"uniform\") rpref_N rpref_N@3 rpref_N(top_gain=\"topic\") \
          rpref_N(partitions=3) rpref_N(unretrieved=\"literal\") rpref_relative \
          rpref_relative(partitions=4) rpref_relative2 rpref_relative2@3 iDCG \
          iDCG(dcg=\"exp-log2\")@3 nDCG_rel nDCG_rel(dcg=\"jk\") RnDCG RnDCG(dcg=\"exp-log2\") G \
          Pref Pref(over=\"retrieved\")@3 Pref(nonrel=\"R\") num_prefs num_prefs(over=\"implied\") \
          num_prefs_ful num_prefs_ful(nonrel=\"R\") EBR EBR(max_rel=4,beta=10)@3 iRBU(p=0.99) \
          iRBU(p=0.5,max_rel=4)@3 O O@1 PMeasure PMeasure(beta=10)@3 PPlus PPlus@3 NCU \
          NCU(stop=\"rb\")@3",
    lacks: "MP micro_AP micro_P micro_R micro_bpref RecallAtFallout(nonrel=1) avg_relative_prec map_at_R int_map_at_R bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible Hole@3 INST INSQ BPM IFT(T=2) SDCG@3 NPV NERR8@3 NERR9@3 NERR10 NERR11 TBG U ESL SetRcap Utility yaap binG gm_bpref num_nonrel_judged_ret P@1 R@1 Rcap@1 Success@1 Rprec RR AP aAP@1 GMAP IPrec@0 PrecAtRecall@0 IAP MaxF AUC \
            SetP SetR SetF E SetAP Accuracy Specificity Fallout RBP RBP_residual nRBP bpref \
            bpref_R bpref_N old_bpref bpref_10 bpref_relative infAP subAP subAP_expected num_ret \
            num_rel num_rel_ret Judged Unjudged",
};

const PROPERTIES: &[Property] = &[
    BOUNDED,
    ONE_ON_THE_IDEAL_LIST,
    CONDENSED,
    BLIND_TO_UNJUDGED,
    BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST,
    BETTER_WITH_THE_BETTER_FIRST,
    GAINS_STAND_FOR_GRADES,
];

/// `SplitMix64`: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn choice<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A number inside (0, 1).
    fn share(&mut self) -> f64 {
        (1 + self.below(999)) as f64 / 1000.0
    }

    /// Up to 20 documents: judged, pooled, unknown, retrieved or not.
    fn case(&mut self, palette: &[f64]) -> Case {
        let judged = 2 + self.below(9);
        let mut case = Case::default();
        for document in 0..=self.below(20) {
            let id = format!("d{document}");
            if self.below(10) < judged {
                case.grades.insert(id.clone(), self.choice(palette));
            }
            if self.below(5) > 0 {
                case.list.push(id);
            }
        }
        self.shuffle(&mut case.list);
        case
    }
}

const BINARY: &[f64] = &[0.0, 1.0];
/// A negative grade is a pooled document that nobody judged.
const SAMPLED: &[f64] = &[-1.0, 0.0, 0.0, 1.0];
const GRADED: &[f64] = &[0.0, 0.0, 1.0, 2.0, 3.0];
const SAMPLED_GRADED: &[f64] = &[-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
const FRACTIONS: &[f64] = &[0.0, 0.0, 0.25, 0.5, 1.0, 1.5];
/// Relevance as De Beer and Moens have it, on and beside borders of classes.
const RELEVANCE: &[f64] = &[-1.0, 0.0, 0.0625, 0.3, 0.4375, 0.5, 0.5625, 0.9, 1.0];

const ALL: &[&[f64]] = &[BINARY, SAMPLED, GRADED, SAMPLED_GRADED, FRACTIONS];

/// Judgments and a list.
#[derive(Clone, Debug, Default)]
struct Case {
    grades: BTreeMap<String, f64>,
    list: Vec<String>,
}

impl Case {
    fn of(grades: &str, list: &str) -> Self {
        Case { grades: common::judgments(grades), list: common::list(list) }
    }

    /// The grade of a judged document.
    fn grade(&self, document: &str) -> Option<f64> {
        self.grades.get(document).copied().filter(|&grade| grade >= 0.0)
    }

    fn condensed(&self) -> Self {
        let judged = self.list.iter().filter(|document| self.grade(document).is_some());
        Case { list: judged.cloned().collect(), ..self.clone() }
    }

    /// All judged documents, best grade first.
    fn ideal(&self) -> Self {
        let mut list: Vec<String> =
            self.grades.keys().filter(|document| self.grade(document).is_some()).cloned().collect();
        list.sort_by(|a, b| self.grades[b].total_cmp(&self.grades[a]));
        Case { list, ..self.clone() }
    }

    /// More unjudged documents: strangers, and what was pooled and not retrieved.
    fn with_unjudged(&self, random: &mut Random) -> Self {
        let pooled = self
            .grades
            .iter()
            .filter(|&(document, &grade)| grade < 0.0 && !self.list.contains(document));
        let mut more: Vec<String> = pooled.map(|(document, _)| document.clone()).collect();
        more.extend((0..=random.below(4)).map(|i| format!("u{i}")));
        let mut case = self.clone();
        for document in more {
            case.list.insert(random.below(case.list.len() + 1), document);
        }
        case
    }

    /// Two judged documents, neighbours if wanted, change places, and the
    /// better one comes first.
    fn exchanged(&self, neighbours: bool, random: &mut Random) -> Option<Self> {
        let mut pairs = Vec::new();
        for below in 1..self.list.len() {
            for above in if neighbours { below - 1..below } else { 0..below } {
                let grade = |rank: usize| self.grade(&self.list[rank]);
                if let (Some(a), Some(b)) = (grade(above), grade(below))
                    && a < b
                {
                    pairs.push((above, below));
                }
            }
        }
        if pairs.is_empty() {
            return None;
        }
        let (above, below) = random.choice(&pairs);
        let mut case = self.clone();
        case.list.swap(above, below);
        Some(case)
    }
}

/// The values of measures for cases, which become topics of one collection;
/// NaN where a topic has no relevant document.
fn values(measures: &[Measure], cases: &[Case]) -> Vec<Vec<f64>> {
    let mut builder = Builder::new(&[]);
    let mut topics = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let topic = format!("{i:06}").into_bytes();
        builder.topic(&topic);
        for (document, &grade) in &case.grades {
            builder.add(&topic, document.as_bytes(), grade, &[], 0).unwrap();
        }
        let mut lines = Lines::default();
        for (position, document) in case.list.iter().enumerate() {
            lines.push(document.as_bytes(), -(position as f64));
        }
        topics.push((topic.into(), lines));
    }
    let run = Run { name: "run".into(), topics, ..Run::default() };
    let scores = evaluate(measures, builder, vec![run]);
    // The evaluator takes equal measures once.
    let columns: Vec<usize> = if scores.measures.len() == measures.len() {
        (0..measures.len()).collect()
    } else {
        let column = |measure| scores.measures.iter().position(|other| other == measure).unwrap();
        measures.iter().map(column).collect()
    };
    let row = |topic| columns.iter().map(|&column| scores.row(0, topic)[column]).collect();
    (0..cases.len()).map(row).collect()
}

fn evaluate(measures: &[Measure], judgments: Builder, runs: Vec<Run>) -> Scores {
    let options = Options { undefined: Undefined::Skip, ..Options::default() };
    let qrels = Arc::new(judgments.finish(Some(1000)));
    let runs: Vec<Input> = runs.into_iter().map(|run| Input::Run(Arc::new(run))).collect();
    let evaluator = Evaluator::new(qrels, measures, options).unwrap();
    evaluator.evaluate(&runs, &Arc::new(Monitor::default())).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

/// The measures and, where there are, their forms on the condensed list.
fn with_primes(measures: Vec<Measure>) -> Vec<Measure> {
    let primes = measures.iter().filter(|measure| measure.family.takes.prime);
    let primes: Vec<Measure> =
        primes.map(|measure| Measure { prime: true, ..measure.clone() }).collect();
    measures.into_iter().chain(primes).collect()
}

/// Random cases and what becomes of them by a change. Those of a batch share
/// a palette, and so the highest grade of their collection.
fn batches(
    seed: u64,
    palettes: &[&[f64]],
    change: impl Fn(&mut Random, &Case) -> Option<Case>,
) -> impl Iterator<Item = (Vec<Case>, Vec<Case>)> {
    let mut random = Random(seed);
    (0..BATCHES).map(move |batch| {
        let palette = palettes[batch % palettes.len()];
        let mut cases = (Vec::new(), Vec::new());
        while cases.0.len() < BATCH {
            let before = random.case(palette);
            if let Some(after) = change(&mut random, &before) {
                cases.0.push(before);
                cases.1.push(after);
            }
        }
        cases
    })
}

/// Random cases by the hundred.
fn plain(seed: u64, palettes: &[&[f64]]) -> impl Iterator<Item = Vec<Case>> {
    batches(seed, palettes, |_, case| Some(case.clone())).map(|(cases, _)| cases)
}

/// Tests a property by the values before and after a change to a list. A
/// measure without a value says nothing.
fn test(
    property: &Property,
    seed: u64,
    change: impl Fn(&mut Random, &Case) -> Option<Case>,
    holds: impl Fn(&Measure, f64, f64) -> bool,
) {
    let (has, lacks) = (with_primes(property.has()), property.lacks());
    let measures: Vec<Measure> = has.iter().chain(&lacks).cloned().collect();
    let mut refuted = vec![false; measures.len()];
    for (before, after) in batches(seed, ALL, change) {
        let rows = values(&measures, &before).into_iter().zip(values(&measures, &after));
        for (case, (row, changed)) in rows.enumerate() {
            for (i, (a, b)) in row.into_iter().zip(changed).enumerate() {
                let fails = !a.is_nan() && !holds(&measures[i], a, b);
                refuted[i] |= fails;
                assert!(
                    !fails || i >= has.len(),
                    "{} is not {}: {a}, then {b}; {:?}, then {:?}",
                    measures[i],
                    property.about,
                    before[case],
                    after[case].list
                );
            }
        }
    }
    for (measure, refuted) in measures.iter().zip(refuted).skip(has.len()) {
        assert!(refuted, "{measure} seems to be {}", property.about);
    }
}

#[test]
fn every_property_decides_on_every_family() {
    for property in PROPERTIES {
        let (has, lacks) = (property.has(), property.lacks());
        for measure in &has {
            assert!(!lacks.contains(measure), "{measure} has and lacks: {}", property.about);
        }
        for family in on_grades() {
            let of = |measure: &Measure| std::ptr::eq(measure.family, family);
            assert!(
                has.iter().chain(&lacks).any(of),
                "{} is on neither side of the property: {}",
                family.about.name,
                property.about
            );
        }
    }
}

#[test]
fn values_are_in_their_range() {
    test(
        &BOUNDED,
        1,
        |_, case| Some(case.clone()),
        |_, value, _| (-TOLERANCE..=1.0 + TOLERANCE).contains(&value),
    );
}

#[test]
fn the_reference_tells_the_range() {
    for measure in BOUNDED.has() {
        // User models have numbers with other ranges beside, by out=.
        let range = measure.family.about.range.split(", or ").next();
        assert_eq!(range, Some("[0, 1]"), "{measure}");
    }
    let sums = BOUNDED.lacks();
    for cases in plain(2, ALL) {
        for row in values(&sums, &cases) {
            for (measure, value) in sums.iter().zip(row).filter(|(_, value)| !value.is_nan()) {
                let inside = match measure.family.about.range {
                    "[0, inf)" | "[0, 1], or [0, inf) for ETU, EC, ETC and ED" => value >= 0.0,
                    "(-inf, inf)" => value.is_finite(),
                    "0, 1, 2 ..." => value >= 0.0 && value.fract() == 0.0,
                    range => unreachable!("{measure} has another range, {range}"),
                };
                assert!(inside, "{measure} is {value}");
            }
        }
    }
}

#[test]
fn the_ideal_list_has_one() {
    test(&ONE_ON_THE_IDEAL_LIST, 3, |_, case| Some(case.ideal()), |_, _, ideal| close(ideal, 1.0));
}

/// The set measures are perfect when the list ends after the relevant documents.
#[test]
fn the_relevant_documents_alone_are_the_perfect_set() {
    let best = "SetP SetR SetF SetF(beta=2) SetF(alpha=0.1) SetAP Accuracy Specificity";
    let least = "E E(beta=2) Fallout";
    let relevant_only = |random: &mut Random, case: &Case| {
        let mut case = case.ideal();
        case.list.retain(|document| case.grades[document] >= 1.0);
        random.shuffle(&mut case.list);
        Some(case)
    };
    for (_, cases) in batches(4, ALL, relevant_only) {
        for (measures, perfect) in [(best, 1.0), (least, 0.0)] {
            for (row, case) in values(&parse_list(measures).unwrap(), &cases).iter().zip(&cases) {
                let right = |&value: &f64| value.is_nan() || close(value, perfect);
                assert!(row.iter().all(right), "{row:?} for {case:?}");
            }
        }
    }
}

#[test]
fn the_prime_drops_the_unjudged() {
    let whole = CONDENSED.has();
    let primes: Vec<Measure> =
        whole.iter().map(|measure| Measure { prime: true, ..measure.clone() }).collect();
    for (cases, condensed) in batches(5, ALL, |_, case| Some(case.condensed())) {
        let rows = values(&primes, &cases).into_iter().zip(values(&whole, &condensed));
        for (case, (row, dropped)) in cases.iter().zip(rows) {
            for (measure, (prime, dropped)) in primes.iter().zip(row.iter().zip(&dropped)) {
                // The same arithmetic, so the same bits.
                assert!(
                    prime.to_bits() == dropped.to_bits(),
                    "{measure}: {prime}, and {dropped} without the unjudged, for {case:?}"
                );
            }
        }
    }
}

/// A sample of the pool says how many documents the unjudged ones of the list
/// stand for, so estimates from it refuse the prime too.
#[test]
fn estimates_refuse_the_prime() {
    let families = |measures: &[Measure]| -> BTreeSet<&str> {
        measures.iter().map(|measure| measure.family.about.name).collect()
    };
    let mut estimates = CONDENSED.lacks();
    for family in FAMILIES {
        if matches!(family.sees.needs, Needs::Strata | Needs::Sample) {
            let cutoff = (family.takes.cutoff == Cutoff::Required).then_some(5.0);
            estimates.push(Measure { cutoff, ..Measure::of(family) });
        }
    }
    let without: BTreeSet<&str> = FAMILIES
        .iter()
        .filter(|family| !family.takes.prime)
        .map(|family| family.about.name)
        .collect();
    assert_eq!(families(&estimates), without);
    assert!(families(&CONDENSED.has()).is_disjoint(&without));
    for measure in estimates {
        let measure = Measure { prime: true, ..measure };
        let text = measure.to_string();
        for text in [text.replace('\'', ".prime"), text] {
            let error = parse(&text).expect_err(&text);
            assert_eq!(error.kind(), Kind::Parameter);
            assert!(error.to_string().contains("condensed list"), "{error}");
        }
        assert!(check_prime(&measure).is_err());
    }
}

#[test]
fn unjudged_documents_change_nothing() {
    let more = |random: &mut Random, case: &Case| Some(case.with_unjudged(random));
    test(&BLIND_TO_UNJUDGED, 6, more, |_, before, after| close(before, after));
    let mut primes = with_primes(CONDENSED.has());
    primes.retain(|measure| measure.prime);
    for (cases, with_more) in batches(7, ALL, more) {
        let rows = values(&primes, &cases).into_iter().zip(values(&primes, &with_more));
        for (case, (row, changed)) in with_more.iter().zip(rows) {
            for (measure, (before, after)) in primes.iter().zip(row.iter().zip(&changed)) {
                let same = before.to_bits() == after.to_bits();
                assert!(same, "{measure}: {before}, then {after} for {case:?}");
            }
        }
    }
}

#[test]
fn the_better_neighbour_first_is_better() {
    exchange(&BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST, true);
}

#[test]
fn the_better_document_first_is_better() {
    exchange(&BETTER_WITH_THE_BETTER_FIRST, false);
}

fn exchange(property: &Property, neighbours: bool) {
    test(
        property,
        8,
        |random, case| case.exchanged(neighbours, random),
        |measure, before, after| {
            if measure.better() == Better::Lower {
                after <= before + TOLERANCE
            } else {
                after >= before - TOLERANCE
            }
        },
    );
}

/// One exchange for each measure that punishes some, with its two values.
#[test]
fn some_exchanges_are_punished() {
    let strangers: Vec<String> = (0..200_000).map(|i| format!("u{i}")).collect();
    let [far_before, far_after] =
        ["n r", "r n"].map(|pair| format!("{} {pair}", strangers.join(" ")));
    let cases = [
        // One of the two others stands above r, one pair of four; first, r has no pairs.
        ("micro_bpref", "r=1 s=1 n=0 m=0", "n r", "r n", (1.0 / 4.0, 0.0)),
        // cg* = 3, 4, 4: (4/6 + 6/7) / 2; b at rank 1 has 1 of 3: (2/4 + 6/6) / 2.
        ("Q", "n=0 s=3 b=1", "n s b", "b s n", (16.0 / 21.0, 3.0 / 4.0)),
        // H = 3, cg* = 7, N' = 3 - 7/3: (2 + 2) / 7; c loses (1/3) / (2/3): (2 + 3/2) / 7.
        ("rpref_N@2", "a=2 b=2 c=3", "a b c", "a c b", (4.0 / 7.0, 1.0 / 2.0)),
        // One of the two others stands above r: 1 - 1/2; then r is first and left out.
        ("rpref_N(skip_first=True)", "r=1 n=0 m=0", "n r", "r n", (1.0 / 2.0, 0.0)),
        // n speaks for itself: 1/5 + (1/5) (1/3); then there is nothing to speak for: 1/4.
        ("infAP(epsilon=1)", "r=1 n=0", "x y z n r", "x y z r n", (4.0 / 15.0, 1.0 / 4.0)),
        // a has 1; r half of five pooled, 1/10 + (5/10) (1/2), then all of one, 1/6 + 1/6.
        (
            "infAP(epsilon=0)",
            "a=1 n=0 p=-1 q=-1 o=-1 r=1",
            "a v w x y n p q o r",
            "a v w x y r p q o n",
            (27.0 / 40.0, 2.0 / 3.0),
        ),
        // As with epsilon=1, for ranks beyond 1/e: (1/k) (1 + e / (1 + 2 e)); then 1 / (k - 1).
        (
            "infAP",
            "r=1 n=0",
            &far_before,
            &far_after,
            ((1.0 + 1e-5 / 1.000_02) / 200_002.0, 1.0 / 200_001.0),
        ),
        // Ideal c b a: behind by 6, 6 and 0: (1/3 + 3/3 + 7/1) / 11; then by 6, 2 and 0.
        ("G", "a=1 b=3 c=7", "a b c", "a c b", (25.0 / 33.0, 41.0 / 66.0)),
        // m does not reach 1 and b is read, 5/3 of 3; then b is enough, 1 of 2.
        ("BPM(T=1,K=10,max_rel=3)", "n=0 m=2 b=3", "n m b", "n b m", (5.0 / 9.0, 1.0 / 2.0)),
        // A strict user does the same.
        ("IFT(T=0.9,R1=1000,max_rel=3)", "n=0 m=2 b=3", "n m b", "n b m", (5.0 / 9.0, 1.0 / 2.0)),
        // Blended ratios 3/7 and 7/8, s = 2/4 and 3/4; then 4/7 and 7/8.
        ("EBR", "b=3 s=2", "x s b", "x b s", (3.0 / 14.0 + 21.0 / 64.0, 3.0 / 7.0 + 7.0 / 64.0)),
        ("PMeasure", "b=3 s=2", "x s b", "x b s", (7.0 / 8.0, 4.0 / 7.0)),
        ("PPlus", "b=3 s=2", "x s b", "x b s", (73.0 / 112.0, 4.0 / 7.0)),
        // (2 (3/7) + 3 (7/8)) / 5; then (3 (4/7) + 2 (7/8)) / 5.
        ("NCU", "b=3 s=2", "x s b", "x b s", (39.0 / 56.0, 97.0 / 140.0)),
        // b at rank 2: (9 + 1) / (10 + 2); then s at rank 1: (1 + 1) / (9 + 1).
        ("O", "n=0 b=9 s=1", "n b s", "s b n", (5.0 / 6.0, 1.0 / 5.0)),
        // Weights 1 and 1: (1 + 2/5) / 2; then b has two neighbours: (1 + 2 (2/4)) / 3.
        ("MP(steps=\"local\")", "a=1 b=1 n=0", "a x y n b", "a x y b n", (7.0 / 10.0, 2.0 / 3.0)),
        // n is early by 1 and r late by 2; then nothing is anything.
        ("CRP", "r=1 n=0", "n x r", "r x n", (1.0, 0.0)),
        // -1, then 1 at rank 3; then -1 and 0, which is never above 0.
        ("Twist(out=\"rho\")", "r=1 n=0 m=0", "m n r", "m r n", (1.0 / 2.0, 0.0)),
        // Nothing is discounted: (3/4 + 4/4) / 2; then a at rank 1 has a third of the ideal.
        ("nDCG_rel(dcg=\"jk\",base=3)", "n=0 b=3 a=1", "n b a", "a b n", (7.0 / 8.0, 2.0 / 3.0)),
        // s over r of s over r, n, m and r over n, m; o is not compared.
        ("Pref(nonrel=\"R\")", "r=1 s=2 n=0 m=0 o=0", "n m o s r", "n m r s o", (1.0 / 5.0, 0.0)),
        // What has nothing above it is left out.
        ("bpref_num_correct", "a=1 b=1 n=0 m=0", "n a", "a n", (1.0, 0.0)),
        // a over n; then c over a, which is not fulfilled.
        ("Pref(over=\"retrieved\")@3", "a=1 c=2 n=0", "a n x c", "a c x n", (1.0, 0.0)),
        ("num_prefs(over=\"retrieved\")@3", "a=1 b=1 n=0", "a n x b", "a b x n", (1.0, 0.0)),
    ];
    for (measure, judgments, before, after, worse) in cases {
        let values = values(
            &[parse(measure).unwrap()],
            &[Case::of(judgments, before), Case::of(judgments, after)],
        );
        assert!(
            close(values[0][0], worse.0) && close(values[1][0], worse.1),
            "{measure}: {values:?}"
        );
        assert!(values[1][0] < values[0][0], "{measure}: {values:?}");
    }
    for lacks in
        [BETTER_WITH_THE_BETTER_FIRST, BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST].map(|p| p.lacks())
    {
        for measure in lacks {
            let name = measure.family.about.name;
            assert!(cases.iter().any(|case| case.0.starts_with(name)), "{name} has no example");
        }
    }
}

#[test]
fn a_gain_map_stands_for_other_grades() {
    let direct = GAINS_STAND_FOR_GRADES.has();
    for (batch, cases) in plain(9, &[GRADED, SAMPLED_GRADED]).enumerate() {
        let mut random = Random(batch as u64);
        let mut gains = [0.0, 1.0, 2.0, 3.0];
        random.shuffle(&mut gains);
        let map = Gain::Map((0..4).map(|grade| (grade as f64, gains[grade])).collect());
        let mapped: Vec<Measure> =
            direct.iter().map(|m| Measure { gain: map.clone(), ..m.clone() }).collect();
        let mut regraded = cases.clone();
        for case in &mut regraded {
            let judged = case.grades.values_mut().filter(|grade| **grade >= 0.0);
            judged.for_each(|grade| *grade = gains[*grade as usize]);
        }
        agree(&mapped, &direct, &cases, &regraded);
    }
}

#[test]
fn only_graded_measures_take_gains() {
    for measure in GAINS_STAND_FOR_GRADES.has() {
        assert!(measure.family.takes_gain(), "{measure}");
    }
    for measure in GAINS_STAND_FOR_GRADES.lacks() {
        assert!(!measure.family.takes_gain(), "{measure}");
        let text = format!("{}(gain=\"binary\")", measure.family.about.name);
        assert_eq!(parse(&text).expect_err(&text).kind(), Kind::Parameter);
    }
}

/// Measures have the values of others, pair by pair.
fn agree(left: &[Measure], right: &[Measure], cases: &[Case], others: &[Case]) {
    assert_eq!(left.len(), right.len());
    let rows = values(left, cases).into_iter().zip(values(right, others));
    for (case, (a, b)) in cases.iter().zip(rows) {
        for (i, (a, b)) in a.into_iter().zip(b).enumerate() {
            let same = close(a, b) || a.is_nan() && b.is_nan();
            assert!(same, "{} is {a}, and {} is {b} for {case:?}", left[i], right[i]);
        }
    }
}

/// Pairs of measures that are one function on lists with such grades.
fn identical(seed: u64, palettes: &[&[f64]], pairs: &[(&str, &str)]) {
    let measure = |text: &&str| parse(text).unwrap();
    let left: Vec<Measure> = pairs.iter().map(|(left, _)| measure(left)).collect();
    let right: Vec<Measure> = pairs.iter().map(|(_, right)| measure(right)).collect();
    for cases in plain(seed, palettes) {
        agree(&left, &right, &cases, &cases);
    }
}

#[test]
fn q_without_gains_is_ap() {
    // For AP a document with a gain is one of a grade above 0, however low.
    let pairs = [
        ("Q(beta=0)", "AP(rel=0.01)"),
        ("Q(beta=0)'", "AP(rel=0.01)'"),
        ("Q(beta=0)@3", "aAP(rel=0.01)@3"),
        ("Q(beta=0,gain={1:3,2:1,3:2})'@5", "aAP(rel=0.01)'@5"),
    ];
    identical(10, ALL, &pairs);
}

#[test]
fn binary_grades_make_rpref_into_bpref() {
    let pairs = [
        ("rpref_N", "bpref_N"),
        ("rpref_N", "bpref(top=\"all\")"),
        ("rpref_relative", "bpref_relative"),
        ("rpref_relative2", "AP'"),
    ];
    identical(11, &[BINARY, SAMPLED], &pairs);
    let pairs = [
        ("rpref_N(gain=\"binary\")", "bpref_N(rel=0.01)"),
        ("rpref_relative(gain=\"binary\")", "bpref_relative(rel=0.01)"),
        ("rpref_relative2(gain=\"binary\")", "AP(rel=0.01)'"),
    ];
    identical(12, ALL, &pairs);
}

/// What the reference says of relatives.
#[test]
fn relatives_are_what_the_reference_says() {
    let pairs = [("GAP", "AP"), ("GAP(thresholds=\"uniform\")'", "AP'")];
    identical(27, &[BINARY, SAMPLED], &pairs);
    let pairs = [
        ("GMAP", "AP"),
        ("bpref_N", "bpref(top=\"all\")"),
        ("old_bpref", "bpref(nonrel=\"retrieved\")"),
        ("gm_bpref", "bpref"),
        ("G(gain=\"binary\")", "binG(rel=0.01)"),
        ("Pref(gain=\"binary\",nonrel=\"R\")", "bpref_R(rel=0.01)"),
    ];
    identical(28, ALL, &pairs);
    let pairs = [("G", "binG"), ("Pref(nonrel=\"R\")", "bpref_R")];
    identical(31, &[BINARY, SAMPLED], &pairs);
    identical(29, &[BINARY, GRADED, FRACTIONS], &[("infAP(epsilon=0)", "AP")]);

    let measures = "SetF@3 E@3 Specificity@3 Fallout@3 Judged@3 Unjudged@3 SetP@3 SetR@3 SetAP@3";
    let measures = parse_list(measures).unwrap();
    for cases in plain(30, ALL) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            // An empty list has neither judged nor unjudged documents.
            let whole = if case.list.is_empty() { 0.0 } else { 1.0 };
            let right = close(row[0] + row[1], 1.0)
                && close(row[2] + row[3], 1.0)
                && close(row[4] + row[5], whole)
                && close(row[6] * row[7], row[8]);
            assert!(row[0].is_nan() || right, "{row:?} for {case:?}");
        }
    }

    let measures =
        "AP yaap R@100 SetRcap SetP num_rel num_ret num_rel_ret Utility iDCG@3 nDCG@3 DCG@3";
    let measures = parse_list(measures).unwrap();
    for cases in plain(32, ALL) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            let [ap, yaap, recall, rcap, p, num_rel, num_ret, hits, utility, idcg, ndcg, dcg] =
                row[..]
            else {
                unreachable!("{row:?}")
            };
            let right = close(yaap, ((1.0 + num_rel * ap) / (1.0 + num_rel * (1.0 - ap))).ln())
                && close(rcap, recall.max(p))
                && close(utility, 2.0 * hits - num_ret)
                && (ndcg.is_nan() || close(idcg * ndcg, dcg));
            assert!(ap.is_nan() || right, "{row:?} for {case:?}");
        }
    }
}

/// The share, its numerator and its divisor.
#[test]
fn preferences_are_counted_once() {
    for arguments in [
        "",
        "(over=\"implied\")",
        "(over=\"retrieved\")@3",
        "(nonrel=\"R\")@5",
        "(over=\"retrieved\",nonrel=\"R\")",
        "(over=\"implied\",nonrel=\"R\")'@4",
    ] {
        let of = |family: &str| parse(&format!("{family}{arguments}")).unwrap();
        let measures = ["Pref", "num_prefs_ful", "num_prefs"].map(of);
        for cases in plain(33, ALL) {
            for (case, row) in cases.iter().zip(values(&measures, &cases)) {
                let share = if row[2] == 0.0 { 0.0 } else { row[1] / row[2] };
                assert!(row[0].is_nan() || close(row[0], share), "{row:?} for {case:?}");
            }
        }
    }
}

/// bpref counts a relevant document as preferred where there is nothing to
/// prefer it to, Pref does not.
#[test]
fn binary_preferences_are_bpref_n() {
    let measures = parse_list("Pref bpref_N").unwrap();
    for cases in plain(34, &[BINARY, SAMPLED]) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            let nonrelevant = case.grades.values().any(|&grade| grade == 0.0);
            let right = if nonrelevant { close(row[0], row[1]) } else { row[0] == 0.0 };
            assert!(row[0].is_nan() || right, "{row:?} for {case:?}");
        }
    }
}

#[test]
fn rpref_relative2_is_graded_ap() {
    let graded = &[GRADED, SAMPLED_GRADED];
    let pairs = [("rpref_relative2", "GAP(thresholds=\"uniform\")'")];
    identical(13, ALL, &pairs);
    for (batch, cases) in plain(14, graded).enumerate() {
        let mut random = Random(batch as u64);
        let gains: Vec<String> =
            (0..4).map(|grade| format!("{grade}:{}", random.below(5))).collect();
        let gains = gains.join(",");
        let [left, right] = [
            format!("rpref_relative2(gain={{{gains}}})"),
            format!("GAP(thresholds=\"uniform\",gain={{{gains}}})'"),
        ]
        .map(|text| [parse(&text).unwrap()]);
        agree(&left, &right, &cases, &cases);
    }
}

/// A user's threshold splits grades in two; each step of gain is a threshold.
#[test]
fn rpref_relative2_is_a_mean_of_ap_over_thresholds() {
    for (batch, cases) in plain(15, &[GRADED, SAMPLED_GRADED]).enumerate() {
        let mut random = Random(batch as u64);
        let steps = [(); 3].map(|()| random.share() * 10.0);
        let gains = [steps[0], steps[0] + steps[1], steps[0] + steps[1] + steps[2]];
        let graded =
            format!("rpref_relative2(gain={{1:{},2:{},3:{}}})", gains[0], gains[1], gains[2]);
        let measures = parse_list(&format!("{graded} AP(rel=1)' AP(rel=2)' AP(rel=3)'")).unwrap();
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            let (mut sum, mut weights) = (0.0, 0.0);
            for (grade, step) in (1..).zip(steps) {
                let reached = case.grades.values().filter(|&&other| other >= f64::from(grade));
                let weight = step * reached.count() as f64;
                // Without a document above the threshold AP is 0/0 and has no weight.
                if weight > 0.0 {
                    sum += weight * row[grade as usize];
                }
                weights += weight;
            }
            let mean = sum / weights;
            let same = close(row[0], mean) || row[0].is_nan() && mean.is_nan();
            assert!(same, "{graded}: {} is not {mean} for {case:?}", row[0]);
        }
    }
}

#[test]
fn two_partitions_are_a_threshold() {
    let pairs = [
        ("rpref_N(top_gain=1,partitions=2)", "bpref_N(rel=0.5)"),
        ("rpref_relative(top_gain=1,partitions=2)", "bpref_relative(rel=0.5)"),
        ("rpref_relative2(top_gain=1,partitions=2)", "AP(rel=0.5)'"),
    ];
    identical(16, &[RELEVANCE], &pairs);
    let pairs = [
        ("rpref_N(partitions=2)", "bpref_N(rel=1.5)"),
        ("rpref_relative(partitions=2)", "bpref_relative(rel=1.5)"),
        ("rpref_relative2(top_gain=3,partitions=2)", "AP(rel=1.5)'"),
    ];
    identical(17, &[GRADED, SAMPLED_GRADED], &pairs);
}

#[test]
fn many_partitions_are_the_relevance_itself() {
    let measures = parse_list(
        "rpref_N(top_gain=1) rpref_relative(top_gain=1) rpref_relative2(top_gain=1) \
         rpref_N(top_gain=1,partitions=1000000) rpref_relative(top_gain=1,partitions=1000000) \
         rpref_relative2(top_gain=1,partitions=1000000)",
    )
    .unwrap();
    for cases in plain(18, &[RELEVANCE]) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            for (whole, parted) in row[..3].iter().zip(&row[3..]) {
                let near = whole.is_nan() || (whole - parted).abs() < 1e-4;
                assert!(near, "{whole} and {parted} for {case:?}");
            }
        }
    }
}

#[test]
fn the_top_gain_is_a_number() {
    let mut random = Random(19);
    for _ in 0..10 * BATCHES {
        let palette = random.choice(ALL);
        let case = random.case(palette);
        let top = case.grades.values().copied().fold(0.0, f64::max);
        if top == 0.0 {
            continue;
        }
        // Another topic has the highest grade of the collection.
        let cases = [case, Case::of("a=5", "a")];
        for (word, number) in [("topic", top), ("collection", 5.0)] {
            let word = parse(&format!("rpref_N(top_gain=\"{word}\")")).unwrap();
            let number = parse(&format!("rpref_N(top_gain={number})")).unwrap();
            let (a, b) = (&values(&[word], &cases)[0], &values(&[number], &cases[..1])[0]);
            assert!(a[0].to_bits() == b[0].to_bits(), "{a:?}, {b:?} for {:?}", cases[0]);
        }
    }
}

#[test]
fn the_residual_chooses_p() {
    for (batch, cases) in plain(20, ALL).enumerate() {
        let mut random = Random(batch as u64);
        let (residual, k) = (random.share(), 1 + random.below(20));
        let p = residual.powf(1.0 / k as f64);
        for arguments in ["", ",rel=2", ",max_rel=3"] {
            let left = parse(&format!("RBP(residual={residual}{arguments})@{k}")).unwrap();
            let right = parse(&format!("RBP(p={p}{arguments})@{k}")).unwrap();
            agree(&[left], &[right], &cases, &cases);
        }
    }
}

#[test]
fn alpha_is_another_beta() {
    for (batch, cases) in plain(21, ALL).enumerate() {
        let alpha = Random(batch as u64).share();
        let beta = ((1.0 - alpha) / alpha).sqrt();
        for (name, rest) in
            [("SetF", ""), ("SetF", "@3"), ("E", "'"), ("MaxF", ""), ("MaxF", "'@3")]
        {
            let left = parse(&format!("{name}(alpha={alpha}){rest}")).unwrap();
            let right = parse(&format!("{name}(beta={beta}){rest}")).unwrap();
            agree(&[left], &[right], &cases, &cases);
        }
    }
    let pairs = [("SetF(alpha=0)", "SetR"), ("SetF(alpha=1)", "SetP"), ("SetF(beta=0)", "SetP")];
    identical(22, ALL, &pairs);
}

#[test]
fn subap_is_ap_on_a_complete_pool_and_its_prime_without_the_rest() {
    let pairs = [
        ("subAP(p=1)", "AP"),
        ("subAP", "AP"),
        ("subAP_expected(p=1)", "AP"),
        ("subAP_expected", "AP"),
    ];
    identical(23, &[BINARY, GRADED, FRACTIONS], &pairs);
    let pairs = [
        ("subAP(p=0)", "AP'"),
        ("subAP(p=0,seed=5)", "AP'"),
        ("subAP_expected(p=0)", "AP'"),
        ("subAP_expected(p=0,rel=2)", "AP(rel=2)'"),
    ];
    identical(24, ALL, &pairs);
}

#[test]
fn the_judged_share_of_the_pool_is_the_default_p() {
    let mut random = Random(25);
    for _ in 0..10 * BATCHES {
        let palette = random.choice(&[SAMPLED, SAMPLED_GRADED]);
        let case = random.case(palette);
        if case.grades.is_empty() {
            continue;
        }
        let judged = case.grades.values().filter(|&&grade| grade >= 0.0).count();
        let p = judged as f64 / case.grades.len() as f64;
        let left = parse_list("subAP subAP(seed=9) subAP_expected").unwrap();
        let right = format!("subAP(p={p}) subAP(p={p},seed=9) subAP_expected(p={p})");
        let cases = [case];
        agree(&left, &parse_list(&right).unwrap(), &cases, &cases);
    }
}

/// Runs of the topics 1 and 2, whose only relevant document is `a`; each run
/// has one list for both. The lines come in any order.
fn coins(measures: &[Measure], lists: &[Vec<String>], random: &mut Random) -> Scores {
    let mut builder = Builder::new(&[]);
    for topic in [b"1", b"2"] {
        builder.topic(topic);
        builder.add(topic, b"a", 1.0, &[], 0).unwrap();
    }
    let mut runs = Vec::new();
    for list in lists {
        let mut topics = Vec::new();
        for topic in [b"1", b"2"] {
            let mut ranked: Vec<(usize, &String)> = list.iter().enumerate().collect();
            random.shuffle(&mut ranked);
            let mut lines = Lines::default();
            for (rank, document) in ranked {
                lines.push(document.as_bytes(), -(rank as f64));
            }
            topics.push((topic[..].into(), lines));
        }
        random.shuffle(&mut topics);
        runs.push(Run { name: format!("run{}", runs.len()), topics, ..Run::default() });
    }
    evaluate(measures, builder, runs)
}

/// A document is kept or not by seed, topic and document alone: what lists
/// of one document say is true in all others.
#[test]
fn a_coin_belongs_to_seed_topic_and_document() {
    let measures = parse_list("subAP(p=0.5) subAP(p=0.5,seed=1)").unwrap();
    let documents: Vec<String> = (0..100).map(|i| format!("u{i}")).collect();
    let alone: Vec<Vec<String>> =
        documents.iter().map(|document| vec![document.clone(), "a".to_string()]).collect();
    let mut random = Random(26);
    let scores = coins(&measures, &alone, &mut random);
    // A document that is kept halves the precision at a.
    let mut kept: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
    for (run, document) in documents.iter().enumerate() {
        for topic in 0..2 {
            for (seed, &value) in scores.row(run, topic).iter().enumerate() {
                assert!(value == 1.0 || value == 0.5, "{value}");
                if value == 0.5 {
                    kept.entry((topic, seed)).or_default().insert(document);
                }
            }
        }
    }
    for (key, set) in &kept {
        // 5 is the standard deviation of 100 fair coins.
        assert!((30..=70).contains(&set.len()), "{key:?} keeps {}", set.len());
        assert!(kept.iter().all(|(other, others)| key == other || set != others));
    }
    assert_eq!(kept.len(), 4);

    let lists: Vec<Vec<String>> = (0..200)
        .map(|_| {
            let mut list = documents.clone();
            random.shuffle(&mut list);
            list.truncate(random.below(documents.len()));
            list.insert(random.below(list.len() + 1), "a".to_string());
            list
        })
        .collect();
    let scores = coins(&measures, &lists, &mut random);
    for (run, list) in lists.iter().enumerate() {
        let above = || list.iter().take_while(|document| *document != "a");
        for (&(topic, seed), set) in &kept {
            let above = above().filter(|document| set.contains(document.as_str())).count();
            let value = scores.row(run, topic)[seed];
            assert!(close(value, 1.0 / (1 + above) as f64), "{value}, and {above} above a");
        }
    }
}

#[test]
fn subap_is_its_expectation_on_average() {
    const SEEDS: u32 = 3_000;
    let case =
        Case::of("a=1 b=1 c=1 d=0 e=0 f=1 p=-1 q=-1", "u1 u2 a p u3 d u4 b u5 u6 q u7 u8 e u9 c");
    for p in [0.2, 0.5, 0.75] {
        let measures: Vec<Measure> =
            (0..SEEDS).map(|seed| parse(&format!("subAP(p={p},seed={seed})")).unwrap()).collect();
        let cases = std::slice::from_ref(&case);
        let row = &values(&measures, cases)[0];
        let expected = values(&[parse(&format!("subAP_expected(p={p})")).unwrap()], cases)[0][0];
        let n = f64::from(SEEDS);
        let mean = row.iter().sum::<f64>() / n;
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        assert!(variance > 0.0);
        // Four standard errors: one such test in 16,000 fails, and this one never changes.
        let error = (variance / n).sqrt();
        assert!((mean - expected).abs() < 4.0 * error, "{mean} is not {expected}, to {error}");
    }
}

#[test]
fn a_grade_above_the_declared_one_is_an_error() {
    let (grades, list) = (common::judgments("a=3 b=1"), common::list("a b"));
    for text in [
        "ERR(max_rel=2)",
        "nERR(max_rel=2)",
        "RBP(p=0.5,max_rel=2)",
        "rpref_N(top_gain=2)",
        "rpref_relative(top_gain=2,partitions=2)",
    ] {
        let measure = [parse(text).unwrap()];
        let error = common::scores(&measure, &grades, &list, None, Options::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Parameter);
        assert!(error.to_string().contains("declares 2 to be the highest gain"), "{error}");
    }
}

#[test]
fn a_document_that_nobody_judged_gains_nothing() {
    // The map gives a gain to the grade of pooled documents, too.
    let (grades, list) = (common::judgments("a=1 b=-1"), common::list("a b"));
    for text in ["nDCG", "Q", "GAP", "nERR(stop=\"ntcir\")", "rpref_relative2"] {
        let plain = parse(text).unwrap();
        let mut mapped = plain.clone();
        mapped.gain = cranfield_core::measure::Gain::Map(vec![(-1.0, 2.0)]);
        let measures = [plain, mapped];
        let scores = common::scores(&measures, &grades, &list, None, Options::default()).unwrap();
        assert_eq!(scores.values[0].to_bits(), scores.values[1].to_bits(), "{text}");
    }
}
