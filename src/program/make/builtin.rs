//! The rules and variables that make begins with.

use std::sync::Arc;

use super::Make;
use super::files::{PatternRule, Recipe};
use super::names::Pattern;
use super::variables::{Flavor, Origin, Variable};
use crate::kernel::Stop;

const SUFFIXES: &str = ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi .tex .texinfo \
                        .texi .txinfo .w .ch .web .sh .elc .el";

/// Variables of the automatic ones' directories and names, which `-R` leaves alone.
const AUTOMATIC: &[(&str, &str)] = &[
    ("@D", "$(patsubst %/,%,$(dir $@))"),
    ("%D", "$(patsubst %/,%,$(dir $%))"),
    ("*D", "$(patsubst %/,%,$(dir $*))"),
    ("<D", "$(patsubst %/,%,$(dir $<))"),
    ("?D", "$(patsubst %/,%,$(dir $?))"),
    ("^D", "$(patsubst %/,%,$(dir $^))"),
    ("+D", "$(patsubst %/,%,$(dir $+))"),
    ("@F", "$(notdir $@)"),
    ("%F", "$(notdir $%)"),
    ("*F", "$(notdir $*)"),
    ("<F", "$(notdir $<)"),
    ("?F", "$(notdir $?)"),
    ("^F", "$(notdir $^)"),
    ("+F", "$(notdir $+)"),
];

const VARIABLES: &[(&str, &str)] = &[
    ("AR", "ar"),
    ("ARFLAGS", "rv"),
    ("AS", "as"),
    ("CC", "cc"),
    ("OBJC", "cc"),
    ("CXX", "g++"),
    ("CHECKOUT,v", "+$(if $(wildcard $@),,$(CO) $(COFLAGS) $< $@)"),
    ("CO", "co"),
    ("COFLAGS", ""),
    ("CPP", "$(CC) -E"),
    ("FC", "f77"),
    ("F77", "$(FC)"),
    ("F77FLAGS", "$(FFLAGS)"),
    ("GET", "get"),
    ("LD", "ld"),
    ("LEX", "lex"),
    ("LINT", "lint"),
    ("M2C", "m2c"),
    ("PC", "pc"),
    ("YACC", "yacc"),
    ("MAKEINFO", "makeinfo"),
    ("TEX", "tex"),
    ("TEXI2DVI", "texi2dvi"),
    ("WEAVE", "weave"),
    ("CWEAVE", "cweave"),
    ("TANGLE", "tangle"),
    ("CTANGLE", "ctangle"),
    ("RM", "rm -f"),
    ("LINK.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    (
        "LINK.m",
        "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    ),
    ("COMPILE.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.C", "$(COMPILE.cc)"),
    ("COMPILE.cpp", "$(COMPILE.cc)"),
    (
        "LINK.cc",
        "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    ),
    ("LINK.C", "$(LINK.cc)"),
    ("LINK.cpp", "$(LINK.cc)"),
    ("YACC.y", "$(YACC) $(YFLAGS)"),
    ("LEX.l", "$(LEX) $(LFLAGS) -t"),
    ("YACC.m", "$(YACC) $(YFLAGS)"),
    ("LEX.m", "$(LEX) $(LFLAGS) -t"),
    ("COMPILE.f", "$(FC) $(FFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.f", "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.r", "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.r", "$(FC) $(FFLAGS) $(RFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.def", "$(M2C) $(M2FLAGS) $(DEFFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.mod", "$(M2C) $(M2FLAGS) $(MODFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.s", "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("COMPILE.s", "$(AS) $(ASFLAGS) $(TARGET_MACH)"),
    ("LINK.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("COMPILE.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c"),
    ("PREPROCESS.S", "$(CC) -E $(CPPFLAGS)"),
    ("PREPROCESS.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F"),
    ("PREPROCESS.r", "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -F"),
    ("LINT.c", "$(LINT) $(LINTFLAGS) $(CPPFLAGS) $(TARGET_ARCH)"),
    ("OUTPUT_OPTION", "-o $@"),
    (".LIBPATTERNS", "lib%.so lib%.a"),
];

const LINK: &str = "$^ $(LOADLIBES) $(LDLIBS) -o $@";
const COMPILE: &str = "$(OUTPUT_OPTION) $<";

/// Suffix rules: one language's at a time, where they follow the pattern, then the others.
const LANGUAGES: &[&str] = &["c", "cc", "C", "cpp", "p", "f", "F", "m", "r"];

const SUFFIX_RULES: &[(&str, &str)] = &[
    (".s", "$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".S", "$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (".mod", "$(COMPILE.mod) -o $@ -e $@ $^"),
    (".s.o", "$(COMPILE.s) -o $@ $<"),
    (".S.o", "$(COMPILE.S) -o $@ $<"),
    (".S.s", "$(PREPROCESS.S) $< > $@"),
    (".mod.o", "$(COMPILE.mod) -o $@ $<"),
    (".def.sym", "$(COMPILE.def) -o $@ $<"),
    (".c.ln", "$(LINT.c) -C$* $<"),
    (".y.ln", "$(YACC.y) $< \n $(LINT.c) -C$* y.tab.c \n $(RM) y.tab.c"),
    (
        ".l.ln",
        "@$(RM) $*.c\n $(LEX.l) $< > $*.c\n$(LINT.c) -i $*.c -o $@\n $(RM) $*.c",
    ),
    (".y.c", "$(YACC.y) $< \n mv -f y.tab.c $@"),
    (".l.c", "@$(RM) $@ \n $(LEX.l) $< > $@"),
    (".ym.m", "$(YACC.m) $< \n mv -f y.tab.c $@"),
    (".lm.m", "@$(RM) $@ \n $(LEX.m) $< > $@"),
    (".F.f", "$(PREPROCESS.F) $(OUTPUT_OPTION) $<"),
    (".r.f", "$(PREPROCESS.r) $(OUTPUT_OPTION) $<"),
    (".l.r", "$(LEX.l) $< > $@ \n mv -f lex.yy.r $@"),
    (".texinfo.info", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    (".texi.info", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    (".txinfo.info", "$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"),
    (".tex.dvi", "$(TEX) $<"),
    (".texinfo.dvi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    (".texi.dvi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    (".txinfo.dvi", "$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"),
    (".w.c", "$(CTANGLE) $< - $@"),
    (".web.p", "$(TANGLE) $<"),
    (".w.tex", "$(CWEAVE) $< - $@"),
    (".web.tex", "$(WEAVE) $<"),
    (".sh", "cat $< >$@ \n chmod a+x $@"),
];

/// Targets, prerequisites, commands, and whether the rule is terminal.
const PATTERN_RULES: &[(&str, &[&str], &str, bool)] = &[
    ("%.out", &["%"], "@rm -f $@ \n cp $< $@", false),
    ("%.c", &["%.w", "%.ch"], "$(CTANGLE) $^ $@", false),
    ("%.tex", &["%.w", "%.ch"], "$(CWEAVE) $^ $@", false),
    ("%", &["%,v"], "$(CHECKOUT,v)", true),
    ("%", &["RCS/%,v"], "$(CHECKOUT,v)", true),
    ("%", &["RCS/%"], "$(CHECKOUT,v)", true),
    ("%", &["s.%"], "$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<", true),
    (
        "%",
        &["SCCS/s.%"],
        "$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<",
        true,
    ),
];

fn recipe(text: &str) -> Arc<Recipe> {
    Arc::new(Recipe {
        text: format!("{text}\n").into_bytes(),
        place: None,
        prefix: b'\t',
    })
}

impl Make<'_> {
    /// Variables that are there before anything is read.
    pub fn set_defaults(&mut self) -> Result<(), Stop> {
        let wanted = if self.options.no_variables { &[] } else { VARIABLES };
        for (name, value) in AUTOMATIC.iter().chain(wanted) {
            let origin = if AUTOMATIC.iter().any(|(known, _)| known == name) {
                Origin::Automatic
            } else {
                Origin::Default
            };
            if self
                .variables
                .get(name.as_bytes())
                .is_some_and(|known| known.origin > origin)
            {
                continue;
            }
            let variable = Variable::new(value.as_bytes(), Flavor::Recursive, origin);
            self.variables.put(name.as_bytes(), variable)?;
        }
        let suffixes = if self.options.no_rules { "" } else { SUFFIXES };
        let variable = Variable::new(suffixes.as_bytes(), Flavor::Simple, Origin::Default);
        self.variables.put(b"SUFFIXES", variable)?;
        let id = self.files.enter(b".SUFFIXES")?;
        let list: Vec<(Vec<u8>, bool)> = suffixes
            .split_whitespace()
            .map(|suffix| (suffix.into(), false))
            .collect();
        self.files.get_mut(id).dependencies = self.enter_prerequisites(&list, None)?;
        Ok(())
    }

    /// Takes the variables away that nothing but make has set.
    pub fn remove_defaults(&mut self) {
        for (name, _) in VARIABLES {
            let known = self.variables.get(name.as_bytes());
            if known.is_some_and(|variable| variable.origin == Origin::Default) {
                self.variables.remove(name.as_bytes());
            }
        }
    }

    /// Suffix rules that are built in: a rule of a makefile replaces them.
    pub fn set_suffix_rules(&mut self) -> Result<(), Stop> {
        if self.options.no_rules {
            return Ok(());
        }
        for language in LANGUAGES {
            self.suffix_rule(&format!(".{language}"), &format!("$(LINK.{language}) {LINK}"))?;
            self.suffix_rule(
                &format!(".{language}.o"),
                &format!("$(COMPILE.{language}) {COMPILE}"),
            )?;
        }
        for (name, text) in SUFFIX_RULES {
            self.suffix_rule(name, text)?;
        }
        Ok(())
    }

    fn suffix_rule(&mut self, name: &str, text: &str) -> Result<(), Stop> {
        let id = self.files.enter(name.as_bytes())?;
        self.files.get_mut(id).recipe = Some(recipe(text));
        Ok(())
    }

    /// Turns suffix rules into pattern rules, and adds those that are built in, after everything is read.
    pub fn finish_pattern_rules(&mut self) -> Result<(), Stop> {
        let suffixes: Vec<Vec<u8>> = match self.files.special(b".SUFFIXES") {
            Some(entry) => entry
                .dependencies
                .iter()
                .map(|known| self.files.get(known.file).name.clone())
                .collect(),
            None => Vec::new(),
        };
        self.proc.charge((suffixes.len() * suffixes.len()) as u64)?;
        for suffix in &suffixes {
            self.add_pattern_rule(pattern_rule(suffix, None, None), false);
            if let Some(recipe) = self.suffix_recipe(suffix) {
                self.add_pattern_rule(pattern_rule(b"", Some(suffix), Some(recipe)), false);
            }
            for target in &suffixes {
                let name = [suffix.as_slice(), target].concat();
                if let Some(recipe) = self.suffix_recipe(&name) {
                    self.add_pattern_rule(pattern_rule(target, Some(suffix), Some(recipe)), false);
                }
            }
        }
        if self.options.no_rules {
            return Ok(());
        }
        for (target, dependencies, text, terminal) in PATTERN_RULES {
            let rule = PatternRule {
                targets: vec![Pattern::parse(target.as_bytes())],
                dependencies: dependencies
                    .iter()
                    .map(|name| (name.as_bytes().to_vec(), false))
                    .collect(),
                recipe: Some(recipe(text)),
                terminal: *terminal,
            };
            self.add_pattern_rule(rule, false);
        }
        Ok(())
    }

    fn suffix_recipe(&self, name: &[u8]) -> Option<Arc<Recipe>> {
        let recipe = self.files.special(name)?.recipe.clone()?;
        (recipe.place.is_some() || !self.options.no_rules).then_some(recipe)
    }
}

/// `%TARGET: %SOURCE`.
fn pattern_rule(target: &[u8], source: Option<&[u8]>, recipe: Option<Arc<Recipe>>) -> PatternRule {
    PatternRule {
        targets: vec![Pattern {
            prefix: Vec::new(),
            suffix: Some(target.to_vec()),
        }],
        dependencies: source
            .map(|source| ([b"%".as_slice(), source].concat(), false))
            .into_iter()
            .collect(),
        recipe,
        terminal: false,
    }
}
