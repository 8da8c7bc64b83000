//! The families of measures, a file for each and its variants, and the list of all.

use super::family::Family;

mod forms;
pub use forms::FORMS;
pub(crate) use set_f::f as f_measure;

/// The registry: a file and its families for each row. A file declares `FAMILY`; variants that it
/// declares too follow after a `+`.
macro_rules! measures {
    ($($file:ident $(+ $variant:ident)*),* $(,)?) => {
        $(mod $file;)*
        /// Every family, in the order of the reference.
        pub static FAMILIES: &[&Family] =
            &[$(&$file::FAMILY, $(&$file::$variant,)*)*];
        /// The files of this folder that declare families.
        pub const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

measures! {
    p, r, all_recall, rcap, success, rprec, rr, ap + AAP + GMAP + MICRO_AP + YAAP,
    iprec + PREC_AT_RECALL + IAP, recall_at_fallout, avg_relative_prec, map_at_r + INT_MAP_AT_R,
    mp, max_f, auc, bin_g,
    set_p + MICRO_P, set_r + MICRO_R, set_rcap, set_f + E, set_ap, utility,
    accuracy + SPECIFICITY + FALLOUT, iou,
    cg, dcg + IDCG + NDCG + ENDCG + NDCG_REL + RNDCG, g, crp, twist,
    rbp + RBP_RESIDUAL + NRBP,
    inst + INSQ, bpm, ift, sdcg, npv, nerr8 + NERR9 + NERR10 + NERR11, tbg + U, esl,
    err + NERR, ebr, irbu, q, o, p_measure + P_PLUS, ncu, gap,
    bpref + GM_BPREF + MICRO_BPREF + BPREF_R + BPREF_N + OLD_BPREF + BPREF_10 + BPREF_RELATIVE,
    bpref_num + BPREF_NUM_RET + BPREF_NUM_CORRECT + BPREF_NUM_POSSIBLE,
    pref + NUM_PREFS + NUM_PREFS_FUL, compat,
    rpref + RPREF_RELATIVE + RPREF_RELATIVE2, infap, subap + SUBAP_EXPECTED,
    xinfap + INF_NDCG + INF_P + INF_IPREC + INF_NUM_REL + INF_NUM_REL_RET,
    stat_ap + VAR_AP + STAT_RPREC + STAT_P + STAT_DCG,
    err_ia + NERR_IA, alpha_dcg + ALPHA_NDCG, novelty_rbp + N_NOVELTY_RBP, ap_ia + P_IA,
    st_recall, rbu, p_q, gp + AGP,
    num_ret + NUM_REL + NUM_REL_RET + NUM_NONREL_JUDGED_RET, judged + UNJUDGED + HOLE,
}
