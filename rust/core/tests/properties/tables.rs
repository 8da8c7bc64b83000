//! Which measures have each property, and which lack it: what follows from a family's file is
//! derived from it, and the rest is listed.

use cranfield_core::grammar::parse_list;
use cranfield_core::measure::Measure;

/// A statement about measures: where it holds and where it does not. A family
/// can be on both sides with different arguments.
pub struct Property {
    pub about: &'static str,
    decided: Decided,
}

/// How it is known which measures have a property.
enum Decided {
    /// They are listed.
    Listed { has: &'static str, lacks: &'static str },
    /// It follows from what the family declares; every measure of [`MEASURES`] is tried.
    Declared(fn(&Measure) -> bool),
}

impl Property {
    pub fn has(&self) -> Vec<Measure> {
        match self.decided {
            Decided::Listed { has, .. } => parse_list(has).unwrap(),
            Decided::Declared(holds) => tried(holds),
        }
    }

    pub fn lacks(&self) -> Vec<Measure> {
        match self.decided {
            Decided::Listed { lacks, .. } => parse_list(lacks).unwrap(),
            Decided::Declared(holds) => tried(|measure| !holds(measure)),
        }
    }

    /// Where a measure is added of which neither is said.
    pub fn place(&self) -> &'static str {
        match self.decided {
            Decided::Listed { .. } => self.about,
            Decided::Declared(_) => "MEASURES",
        }
    }
}

/// The measures of [`MEASURES`] of which something holds.
fn tried(holds: impl Fn(&Measure) -> bool) -> Vec<Measure> {
    let mut measures = parse_list(MEASURES).unwrap();
    measures.retain(holds);
    measures
}

/// Every family that needs nothing but grades, with many arguments.
const MEASURES: &str = "IoU gP@3 AgP MP MP(states=\"relevant\",recall=False)@3 Twist@20 Twist@3 Twist(out=\"rho\")@5 Twist(out=\"sigma\")@3 micro_AP micro_P micro_R micro_bpref bpref(top=\"10R\",above=\"5R\") RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R Hole@3 Compat(p=0.5) Compat(p=0.95)@3 P@1 P@3 R@3 AllRecall AllRecall@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0 \
          IPrec@0.3 IPrec@1 PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) \
          MaxF MaxF(beta=2)@3 MaxF(alpha=0.1) AUC SetP SetP@3 SetR SetR@3 SetF SetF(beta=2)@3 \
          SetF(alpha=0) SetF(alpha=1) E E(alpha=0.2)@3 SetAP SetAP@3 Accuracy \
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
          NCU(stop=\"rb\",x=\"P\",gamma=0.5) NCU(gain={1:1,2:10,3:100}) CRP CRP@3 bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible CG CG@3 DCG DCG@3 DCG(dcg=\"exp-log2\") DCG(dcg=\"jk\") iDCG iDCG(dcg=\"jk\")@3 yaap \
            Utility Utility(tp=0.5,fp=0,fn=-1,tn=0.1)@3 num_prefs num_prefs(over=\"retrieved\")@5 \
            num_prefs_ful num_prefs_ful(nonrel=\"R\") num_ret num_rel num_rel_ret \
            num_nonrel_judged_ret INST(T=1,out=\"ETU\")@10 INST(T=1,out=\"ED\")@10 \
            INSQ(T=1,out=\"ETC\")@5 SDCG(out=\"ETU\")@5 ESL(wanted=1) ESL(wanted=3)";

/// No value is outside of [0, 1] where the family's range is that. The others are sums, or what a
/// user reads, gains and spends in all, which `out=` asks for.
pub const BOUNDED: Property = Property {
    about: "bounded in [0, 1]",
    decided: Decided::Declared(|measure| {
        let range = measure.family.about.range;
        let (usual, others) = range.split_once(", or ").unwrap_or((range, ""));
        let text = measure.to_string();
        let is_other = |word: &str| text.contains(&format!("out=\"{word}\""));
        usual == "[0, 1]" && !others.split([' ', ',']).any(is_other)
    }),
};

/// The prime is the list without its unjudged documents, and nothing more.
/// Those that estimate from unjudged documents refuse it.
pub const CONDENSED: Property = Property {
    about: "the prime is the condensed list",
    decided: Decided::Declared(|measure| measure.family.takes.prime),
};

/// A gain map that permutes the grades does what other grades would.
pub const GAINS_STAND_FOR_GRADES: Property = Property {
    about: "a gain map is another set of grades",
    decided: Decided::Declared(|measure| measure.family.takes_gain()),
};

/// The list holds all judged documents and nothing else, best grade first.
///
/// P, `SetP` and their relatives count the judged documents at the end; cut
/// below R, a divisor that is not cut stays out of reach; RBP and ERR leave
/// weight to what cannot be retrieved; the relative forms skip rank 1; the
/// smoothing of `infAP` allows for documents that are not there; Pref is 0
/// where all judged documents have the same gain; users who read on beyond the
/// relevant documents, or want more than there is, gain less than 1 a document,
/// unless one of the highest gain always ends the search.
pub const ONE_ON_THE_IDEAL_LIST: Property = Property {
    about: "1 on the ideal list",
    decided: Decided::Listed {
        has: "gP@1 AgP MP MP(steps=\"local\",states=\"relevant\") MP(states=\"relevant\",recall=False)@3 Twist Twist@100 Twist(out=\"sigma\")@30 micro_AP micro_R RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R Compat(p=0.5) Compat(p=0.95)@3 P@1 R@100 R(rel=2)@100 AllRecall AllRecall@100 Rcap@1 Rcap@3 Rcap@100 Success@1 Success@3 Rprec Rprec(rel=2) \
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
        lacks: "IoU IoU@3 gP@3 MP@2 CRP Twist@3 micro_P micro_bpref bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible Hole@3 INST(T=1)@20 INST(T=2,max_rel=3)@5 INSQ(T=1)@20 BPM(T=2,K=5,max_rel=3) BPM(T=3,K=4) \
            IFT(T=2)@20 IFT(A=0.2)@20 SDCG@3 SDCG(max_rel=3)@10 NPV(rate=0.1)@20 \
            NERR8(max_rel=4)@5 NERR9(max_rel=3)@10 NERR10(p=0.9,max_rel=4)@10 \
            NERR11(T=2,max_rel=3)@10 TBG(halflife=224)@20 U(L=5,max_rel=3)@10 ESL(wanted=1) \
            ESL(wanted=3) EBR EBR(max_rel=4,beta=10)@3 iRBU(p=0.99) iRBU(p=0.5,max_rel=4)@3 \
            NCU@3 Rprec(mult=1.5) Utility yaap iDCG Pref Pref@3 num_prefs num_prefs_ful \
            num_nonrel_judged_ret P@3 R@2 AllRecall@2 AP@2 SetP SetP@3 SetR@2 SetF SetF@3 E SetAP Accuracy Specificity Fallout CG \
            DCG DCG@3 enDCG@2 RBP(p=0.8) RBP(residual=0.1)@3 RBP(p=0.5,max_rel=3) \
            RBP_residual(p=0.8) ERR(max_rel=3) ERR(stop=\"ntcir\") bpref_relative rpref_N@2 \
            rpref_N(skip_first=True) rpref_relative rpref_relative2@2 infAP MaxF@2 num_ret \
            num_rel num_rel_ret Unjudged",
    },
};

/// Unjudged documents, pooled or not, put anywhere into the list. All forms
/// with a prime have the property; this is about those without.
pub const BLIND_TO_UNJUDGED: Property = Property {
    about: "blind to unjudged documents",
    decided: Decided::Listed {
        has: "micro_R micro_bpref bpref(top=\"10R\",above=\"5R\") bpref_num_all bpref_num_ret bpref_num_correct bpref_num_possible bpref bpref(rel=2) bpref(top=\"all\") bpref(top=\"10+R\") bpref(nonrel=\"retrieved\") \
          bpref(divisor=\"retrieved\") bpref(first=2) bpref_R bpref_N old_bpref bpref_10 \
          bpref_relative rpref_N rpref_N(top_gain=\"topic\") rpref_N(unretrieved=\"literal\") \
          rpref_N(partitions=3) rpref_N(skip_first=True) rpref_relative \
          rpref_relative(skip_first=False) rpref_relative(partitions=4) rpref_relative2 \
          rpref_relative2(unretrieved=\"literal\") SetR SetF(alpha=0) subAP(p=0) \
          subAP_expected(p=0) num_rel num_rel_ret iDCG iDCG@3 gm_bpref Pref Pref(nonrel=\"R\") \
          Pref(over=\"implied\") Pref(over=\"retrieved\",nonrel=\"R\") num_prefs \
          num_prefs(over=\"retrieved\") num_prefs_ful num_nonrel_judged_ret AllRecall AllRecall(rel=2)",
        lacks: "IoU gP@3 AgP MP MP(states=\"relevant\") CRP CRP@3 Twist micro_AP micro_P RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R Hole@3 Compat(p=0.5) INST(T=1)@20 INST(T=1,unjudged=\"residual\")@10 INSQ(T=1)@20 BPM(T=1,K=10) \
            IFT(T=2)@20 IFT(A=0.2)@20 SDCG@3 NPV(rate=0.1)@20 NERR8@3 NERR9@3 NERR10(p=0.9)@20 \
            NERR11(T=1)@20 TBG(halflife=224)@20 U(L=1000)@20 ESL(wanted=1) ESL(wanted=3) EBR \
            EBR(max_rel=4,beta=10)@3 iRBU(p=0.99) O O@1 PMeasure PPlus NCU \
            NCU(stop=\"rb\",x=\"P\") Rprec(mult=1.5) SetRcap Utility yaap binG G RnDCG nDCG_rel Pref@3 \
            num_prefs(over=\"implied\")@3 num_prefs_ful@3 P@3 R@3 AllRecall@3 Rcap@3 Success@2 Rprec RR AP aAP@3 GMAP IPrec@0 PrecAtRecall@0.3 IAP MaxF \
            AUC SetP SetR@3 SetF E SetAP Accuracy Specificity Fallout CG@3 DCG nDCG enDCG \
            RBP(p=0.8) RBP_residual(p=0.8) nRBP(p=0.8) ERR(max_rel=3) nERR(max_rel=3) Q GAP \
            rpref_N@3 rpref_relative@3 rpref_relative2@3 infAP subAP(p=0.5) subAP(p=1) \
            subAP_expected(p=0.5) num_ret Judged Unjudged",
    },
};

/// What an exchange of any two judged documents improves or leaves.
macro_rules! improved {
    () => {
        "IoU IoU@3 gP@3 AgP MP(states=\"relevant\",distance=\"none\") Twist(out=\"sigma\")@20 micro_AP micro_P micro_R RecallAtFallout(nonrel=2) avg_relative_prec map_at_R int_map_at_R bpref(top=\"10R\",above=\"5R\") bpref_num_all bpref_num_ret bpref_num_possible Hole@3 Compat(p=0.5) Compat(p=0.95)@3 P@1 P@3 R@3 AllRecall AllRecall@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0 \
         IPrec@0.3 IPrec@1 PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) MaxF \
         MaxF(beta=2)@3 AUC SetP SetP@3 SetR SetR@3 SetF SetF@3 E E@3 SetAP SetAP@3 Accuracy \
         Specificity Specificity@3 Fallout Fallout@3 CG CG@3 DCG DCG@3 \
         DCG(dcg=\"exp-log2\")@3 DCG(dcg=\"jk\",base=4) nDCG nDCG@3 nDCG(dcg=\"jk\")@5 enDCG \
         enDCG@3 RBP(p=0) RBP(p=0.5) RBP(residual=0.1)@3 RBP(p=0.8,max_rel=3) RBP_residual(p=0.8) \
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
/// for unjudged documents; the default epsilon needs 100,000 of them.
/// G discounts a document little that closes the gap to the ideal list, and a
/// poor one above narrows the gap. With a cutoff the list decides which
/// retrieved pairs are compared. EBR, NCU with stop="gu", `PMeasure` and `PPlus` look
/// most at the rank of the better document, and what stands there is worth more
/// when the poorer one is above. Users of BPM and IFT who have enough earlier
/// leave the next document unread. The user of MP is seldom at the ends of a list,
/// and more often at the document that moved up. CRP is not a score, and recovers (rho) where
/// documents that are late make up for early ones.
pub const BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST: Property = Property {
    about: "better when the better neighbour comes first",
    decided: Decided::Listed {
        has: concat!(
            improved!(),
            " Q Q@3 Q(beta=10) Q(gain={1:1,2:10,3:100})@4 infAP(epsilon=0) nDCG_rel nDCG_rel(dcg=\"jk\") \
         Pref(nonrel=\"R\") Pref(over=\"retrieved\",nonrel=\"R\") O O(beta=10)@3 NCU(stop=\"rb\") \
         NCU(stop=\"rb\",gamma=0.5)@3"
        ),
        lacks: "MP MP(steps=\"local\") CRP Twist Twist(out=\"rho\") micro_bpref bpref_num_correct EBR EBR@3 EBR(max_rel=3,stop=\"exp\") PMeasure PMeasure(beta=10) PPlus \
            PPlus@3 NCU NCU@3 NCU(x=\"P\") BPM(T=2,K=5,hb=1,hc=1)@10 BPM(T=1,K=10,max_rel=3) \
            IFT(T=2)@20 IFT(A=0.2)@20 rpref_N@3 rpref_N(skip_first=True) infAP(epsilon=1) G Pref(over=\"retrieved\")@3 num_prefs(over=\"retrieved\")@3",
    },
};

/// As above, for any two judged documents of the list.
///
/// Q compares what was gained so far with the ideal list at the same rank, so
/// a document of low gain on a high rank leaves a large gap, and so does nDCG at
/// that rank, of which `nDCG_rel` is the mean; so O and NCU have it with Q's
/// blended ratio; `infAP` counts the pooled
/// documents that are passed over as relevant at the rate of those above; a
/// document without gain costs Pref nothing where it is not among the first R.
pub const BETTER_WITH_THE_BETTER_FIRST: Property = Property {
    about: "better when the better document comes first",
    decided: Decided::Listed {
        has: improved!(),
        lacks: "MP MP(steps=\"local\") CRP Twist Twist(out=\"rho\") micro_bpref bpref_num_correct O O(beta=10)@3 NCU(stop=\"rb\") EBR EBR@3 EBR(max_rel=3,stop=\"exp\") PMeasure PMeasure(beta=10) PPlus \
            PPlus@3 NCU NCU@3 NCU(x=\"P\") BPM(T=2,K=5,hb=1,hc=1)@10 BPM(T=1,K=10,max_rel=3) \
            IFT(T=2)@20 IFT(A=0.2)@20 Q Q@3 Q(beta=10) rpref_N@3 rpref_N(skip_first=True) infAP infAP(epsilon=0) infAP(epsilon=1) G \
            nDCG_rel Pref(nonrel=\"R\") Pref(over=\"retrieved\",nonrel=\"R\") Pref(over=\"retrieved\")@3 num_prefs(over=\"retrieved\")@3",
    },
};

pub const PROPERTIES: &[Property] = &[
    BOUNDED,
    ONE_ON_THE_IDEAL_LIST,
    CONDENSED,
    BLIND_TO_UNJUDGED,
    BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST,
    BETTER_WITH_THE_BETTER_FIRST,
    GAINS_STAND_FOR_GRADES,
];
