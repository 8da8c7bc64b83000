//! The families of measures, one a file, and the list of all.

use super::family::Family;

/// The registry: a module and a row for each name.
macro_rules! measures {
    ($($name:ident),* ; $($form:ident),* $(,)?) => {
        $(mod $name;)*
        $(mod $form;)*
        /// Every family, in the order of the reference.
        pub static FAMILIES: &[&Family] = &[$(&$name::FAMILY),*];
        /// What other families can be computed over, described as a family is;
        /// the names stand before theirs.
        pub static FORMS: &[&Family] = &[$(&$form::FORM),*];
        /// The files of this folder that the registry knows.
        pub const FILES: &[&str] = &[$(stringify!($name),)* $(stringify!($form)),*];
    };
}

measures! {
    p, r, rcap, success, rprec, rr, ap, aap, gmap, micro_ap, yaap, iprec, prec_at_recall, iap, recall_at_fallout,
    avg_relative_prec, map_at_r, int_map_at_r, mp, max_f, auc, bin_g,
    set_p, micro_p, set_r, micro_r, set_rcap, set_f, e, set_ap, utility, accuracy, specificity, fallout,
    cg, dcg, idcg, ndcg, endcg, ndcg_rel, rndcg, g, crp, twist,
    rbp, rbp_residual, nrbp,
    inst, insq, bpm, ift, sdcg, npv, nerr8, nerr9, nerr10, nerr11, tbg, u, esl,
    err, nerr, ebr, irbu, q, o, p_measure, p_plus, ncu, gap,
    bpref, gm_bpref, micro_bpref, bpref_r, bpref_n, old_bpref, bpref_10, bpref_relative,
    bpref_num_all, bpref_num_ret, bpref_num_correct, bpref_num_possible,
    pref, num_prefs, num_prefs_ful, compat,
    rpref_n, rpref_relative, rpref_relative2, infap, subap, subap_expected, xinfap, infndcg, inf_p, inf_iprec,
    inf_num_rel, inf_num_rel_ret, stat_ap, var_ap, stat_rprec, stat_p, stat_dcg,
    err_ia, nerr_ia, alpha_dcg, alpha_ndcg, novelty_rbp, n_novelty_rbp, ap_ia, p_ia, st_recall, rbu, p_q,
    num_ret, num_rel, num_rel_ret, num_nonrel_judged_ret, judged, unjudged, hole;
    ec, d, din, ia,
}
