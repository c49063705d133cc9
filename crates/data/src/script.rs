//! FutharkScript: the small language in which test blocks compute their arguments.
//!
//! *In* comes text such as `let (n, xs) = mkdata 10i64 in (n, xs)`, *out* goes
//! an [`Exp`]. What its functions mean is for whoever evaluates it: they are
//! the entry points of a program, or built in (`$loaddata "file"`).
//!
//! ```text
//! exp      ::= "let" pattern "=" exp ("in" exp | exp that is a "let") | function operand* | operand
//! operand  ::= ( name "[" exp ("," exp)* "]" | atom ) ("." field)*
//! atom     ::= function | value | "(" ")" | "(" exp ("," exp)* ")" | "[" exp ("," exp)* "]"
//!            | "{" "}" | "{" name "=" exp ("," name "=" exp)* "}"
//! pattern  ::= name | "(" name ("," name)* ")"
//! function ::= name | "$" name
//! ```
//!
//! Only a function that stands there by itself takes arguments: `(f 1) 2` is refused, as `1 2` is. Lists may
//! end in a comma.

use crate::cursor::{Cursor, DataError};
use crate::literal::{read_literal, Number};
use crate::text;
use crate::value::Value;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Exp {
    /// A value as written.
    Const(Value),
    /// A number without a suffix.
    Number(Number),
    /// A variable, or a function applied to arguments.
    Apply(Function, Vec<Exp>),
    /// `(a, b)`; `()` without any.
    Tuple(Vec<Exp>),
    /// `{x = a, y = b}`.
    Record(Vec<(String, Exp)>),
    /// `[a, b]`, where some element is not just a value, or is a number without a suffix.
    Array(Vec<Exp>),
    /// `e.field`.
    Project(Box<Exp>, String),
    /// `x[i, j]`.
    Index(String, Vec<Exp>),
    /// `let p = e in body`; several names take a tuple apart.
    Let(Vec<String>, Box<Exp>, Box<Exp>),
}

/// What is applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// A variable or an entry point.
    Named(String),
    /// `$name`.
    Builtin(String),
}

/// Expressions nested deeper than this are refused.
const MAX_NESTING: usize = 200;

/// Reads a script, which is one expression.
pub fn parse_script(text: &str) -> Result<Exp, DataError> {
    let mut parser = Parser { c: Cursor::new(text.as_bytes()), depth: 0 };
    let exp = parser.exp()?;
    parser.c.skip_space();
    match parser.c.peek() {
        None => Ok(exp),
        Some(_) => Err(parser.unexpected("the end of the script")),
    }
}

impl Exp {
    /// Adds the names of functions and constants of the program.
    pub fn functions(&self, names: &mut Vec<String>) {
        match self {
            Exp::Const(_) | Exp::Number(_) => {}
            Exp::Tuple(es) | Exp::Array(es) => es.iter().for_each(|e| e.functions(names)),
            Exp::Record(fields) => fields.iter().for_each(|(_, e)| e.functions(names)),
            Exp::Project(e, _) => e.functions(names),
            Exp::Index(name, es) => {
                names.push(name.clone());
                es.iter().for_each(|e| e.functions(names));
            }
            Exp::Let(bound, value, body) => {
                value.functions(names);
                let mut inner = vec![];
                body.functions(&mut inner);
                names.extend(inner.into_iter().filter(|name| !bound.contains(name)));
            }
            Exp::Apply(function, es) => {
                match function {
                    Function::Named(name) => names.push(name.clone()),
                    Function::Builtin(_) => {}
                }
                es.iter().for_each(|e| e.functions(names));
            }
        }
    }
}

impl Function {
    /// The name, without the `$`.
    pub fn name(&self) -> &str {
        match self {
            Function::Named(name) | Function::Builtin(name) => name,
        }
    }
}

/// What stands in an expression: only a function by itself may be followed by arguments.
enum Operand {
    Function(Function),
    Value(Exp),
}

impl Operand {
    fn into_exp(self) -> Exp {
        match self {
            Operand::Function(function) => Exp::Apply(function, vec![]),
            Operand::Value(exp) => exp,
        }
    }
}

struct Parser<'a> {
    c: Cursor<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn exp(&mut self) -> Result<Exp, DataError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.c.error("the script is nested too deeply"));
        }
        self.c.skip_space();
        let exp = if self.keyword("let") { self.binding() } else { self.application() };
        self.depth -= 1;
        exp
    }

    fn binding(&mut self) -> Result<Exp, DataError> {
        self.c.skip_space();
        let names = if self.c.eat("(") {
            self.list(")", |p| {
                p.c.skip_space();
                p.name().ok_or_else(|| p.unexpected("a name"))
            })?
        } else {
            vec![self.name().ok_or_else(|| self.unexpected("a name"))?]
        };
        if names.is_empty() {
            return Err(self.c.error("expected a name between the parentheses"));
        }
        self.expect("=")?;
        let value = self.exp()?;
        self.c.skip_space();
        if !self.keyword("in") && !self.at_keyword("let") {
            return Err(self.unexpected("`in`"));
        }
        Ok(Exp::Let(names, Box::new(value), Box::new(self.exp()?)))
    }

    /// A function and its arguments, or just an operand.
    fn application(&mut self) -> Result<Exp, DataError> {
        let function = match self.operand()? {
            Operand::Value(exp) => return Ok(exp),
            Operand::Function(function) => function,
        };
        let mut args = vec![];
        loop {
            self.c.skip_space();
            if !self.at_operand() {
                return Ok(Exp::Apply(function, args));
            }
            args.push(self.operand()?.into_exp());
        }
    }

    /// Whether an operand starts here, and not a word that ends a binding.
    fn at_operand(&self) -> bool {
        match self.c.peek() {
            Some(b'(' | b'[' | b'{' | b'$' | b'"' | b'-' | b'_') => true,
            Some(b) if b.is_ascii_digit() => true,
            Some(b) => b.is_ascii_alphabetic() && !self.at_keyword("in") && !self.at_keyword("let"),
            None => false,
        }
    }

    /// An atom and the fields taken from it.
    fn operand(&mut self) -> Result<Operand, DataError> {
        let mut operand = self.atom()?;
        while self.c.eat(".") {
            let field = self.c.take_while(is_name_byte);
            if field.is_empty() {
                return Err(self.unexpected("a field"));
            }
            let field = String::from_utf8_lossy(field).into_owned();
            operand = Operand::Value(Exp::Project(Box::new(operand.into_exp()), field));
        }
        Ok(operand)
    }

    fn atom(&mut self) -> Result<Operand, DataError> {
        self.c.skip_space();
        let value = match self.c.peek() {
            Some(b'(') => {
                self.c.pos += 1;
                let mut parts = self.list(")", Parser::exp)?;
                if parts.len() == 1 {
                    parts.remove(0)
                } else {
                    Exp::Tuple(parts)
                }
            }
            Some(b'{') => {
                self.c.pos += 1;
                Exp::Record(self.list("}", |p| {
                    p.c.skip_space();
                    let field = p.c.take_while(is_name_byte);
                    if field.is_empty() {
                        return Err(p.unexpected("a field"));
                    }
                    let field = String::from_utf8_lossy(field).into_owned();
                    p.expect("=")?;
                    Ok((field, p.exp()?))
                })?)
            }
            Some(b'[') => {
                let start = self.c.pos;
                match text::read_value(&mut self.c) {
                    Ok(value) if !has_number_without_suffix(&self.c.bytes[start..self.c.pos]) => {
                        Exp::Const(value)
                    }
                    Ok(_) | Err(_) => {
                        self.c.pos = start + 1;
                        let elements = self.list("]", Parser::exp)?;
                        if elements.is_empty() {
                            let message = "an array without elements is written `empty([0]i32)`";
                            return Err(self.c.error_at(start, message));
                        }
                        Exp::Array(elements)
                    }
                }
            }
            Some(b'"') => Exp::Const(text::read_value(&mut self.c)?),
            Some(b'$') => {
                self.c.pos += 1;
                let name = self.name().ok_or_else(|| self.unexpected("the name of a built-in function"))?;
                return Ok(Operand::Function(Function::Builtin(name)));
            }
            Some(b'0'..=b'9' | b'-') => self.literal()?,
            Some(_) if self.at_named_value() => self.literal()?,
            Some(_) => {
                let name = self.name().ok_or_else(|| self.unexpected("an expression"))?;
                if !self.c.eat("[") {
                    return Ok(Operand::Function(Function::Named(name)));
                }
                let indexes = self.list("]", Parser::exp)?;
                if indexes.is_empty() {
                    return Err(self.c.error("expected an index between the brackets"));
                }
                Exp::Index(name, indexes)
            }
            None => return Err(self.unexpected("an expression")),
        };
        Ok(Operand::Value(value))
    }

    /// `true`, `f32.nan`, `empty([0]i32)`.
    fn at_named_value(&self) -> bool {
        let mut c = self.c.clone();
        self.c.rest().starts_with(b"empty(") || read_literal(&mut c).is_ok()
    }

    fn literal(&mut self) -> Result<Exp, DataError> {
        let mut c = self.c.clone();
        match read_literal(&mut c) {
            Ok(literal) if literal.loose => {
                self.c.pos = c.pos;
                Ok(Exp::Number(Number::new(literal.text)))
            }
            Ok(_) | Err(_) => text::read_value(&mut self.c).map(Exp::Const),
        }
    }

    /// What stands between brackets, with commas between and maybe at the end; the opening one is behind us.
    fn list<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, DataError>,
    ) -> Result<Vec<T>, DataError> {
        let mut items = vec![];
        self.c.skip_space();
        if self.c.eat(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.c.skip_space();
            if self.c.eat(end) {
                return Ok(items);
            }
            if !self.c.eat(",") {
                return Err(self.unexpected(&format!("`,` or `{end}`")));
            }
            self.c.skip_space();
            if self.c.eat(end) {
                return Ok(items);
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        let first = self.c.peek()?;
        if !(first.is_ascii_alphabetic() || first == b'_') || self.at_keyword("in") || self.at_keyword("let")
        {
            return None;
        }
        Some(String::from_utf8_lossy(self.c.take_while(is_name_byte)).into_owned())
    }

    fn at_keyword(&self, word: &str) -> bool {
        let rest = self.c.rest();
        rest.starts_with(word.as_bytes()) && !rest.get(word.len()).is_some_and(|b| is_name_byte(*b))
    }

    fn keyword(&mut self, word: &str) -> bool {
        let found = self.at_keyword(word);
        if found {
            self.c.pos += word.len();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), DataError> {
        self.c.skip_space();
        if self.c.eat(symbol) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{symbol}`")))
        }
    }

    fn unexpected(&self, expected: &str) -> DataError {
        self.c.error(format!("expected {expected}, but found {}", self.c.describe_next()))
    }
}

/// Whether an array of literals has one whose type is up to whoever takes the array.
fn has_number_without_suffix(array: &[u8]) -> bool {
    let mut c = Cursor::new(array);
    loop {
        c.skip_space();
        match c.peek() {
            Some(b'[' | b']' | b',') => c.pos += 1,
            Some(_) => match read_literal(&mut c) {
                Ok(literal) if literal.loose => return true,
                Ok(_) => {}
                // A string, or the type of an empty array.
                Err(_) => return false,
            },
            None => return false,
        }
    }
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'\''
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, args: Vec<Exp>) -> Exp {
        Exp::Apply(Function::Named(name.into()), args)
    }

    fn number(text: &str) -> Exp {
        Exp::Number(Number::new(text))
    }

    #[test]
    fn expressions() {
        let parse = |text: &str| parse_script(text).expect("a script");
        assert_eq!(parse("f 10 x"), call("f", vec![number("10"), call("x", vec![])]));
        assert_eq!(
            parse("let (a, b) = f () in (a.x, b[1])"),
            Exp::Let(
                vec!["a".into(), "b".into()],
                Box::new(call("f", vec![Exp::Tuple(vec![])])),
                Box::new(Exp::Tuple(vec![
                    Exp::Project(Box::new(call("a", vec![])), "x".into()),
                    Exp::Index("b".into(), vec![number("1")]),
                ]))
            )
        );
        assert_eq!(
            parse("$loaddata \"x.in\""),
            Exp::Apply(Function::Builtin("loaddata".into()), vec![Exp::Const(Value::string("x.in"))])
        );
        assert_eq!(parse("[1i64, 2i64]"), Exp::Const(Value::vector(vec![1i64, 2])));
        assert_eq!(parse("[f 1, g]"), Exp::Array(vec![call("f", vec![number("1")]), call("g", vec![])]));
        assert_eq!(
            parse("{a = 1, b = x}"),
            Exp::Record(vec![("a".into(), number("1")), ("b".into(), call("x", vec![]))])
        );
        assert_eq!(parse("[1, 2i64]"), Exp::Array(vec![number("1"), Exp::Const(Value::scalar(2i64))]));
        assert_eq!(parse("[[1]]"), Exp::Array(vec![Exp::Array(vec![number("1")])]));
        assert_eq!(parse("(f, 1,)"), Exp::Tuple(vec![call("f", vec![]), number("1")]));
        assert_eq!(parse("(f 1,)"), call("f", vec![number("1")]));
        assert_eq!(parse("{a = 1,}"), Exp::Record(vec![("a".into(), number("1"))]));
        assert_eq!(parse("let x = f 1 let y = x in y"), parse("let x = f 1 in let y = x in y"));
        assert_eq!(parse("f -1.5f32"), call("f", vec![Exp::Const(Value::scalar(-1.5f32))]));
    }

    #[test]
    fn functions_of_the_program() {
        let exp = parse_script("let (a, b) = f a in let c = g b in [a, h c, d[c], b.x]").expect("a script");
        let mut names = vec![];
        exp.functions(&mut names);
        assert_eq!(names, ["f", "a", "g", "h", "d"]);
    }

    #[test]
    fn parentheses_keep_what_is_in_them() {
        let parse = |text: &str| parse_script(text).expect("a script");
        let mk = || call("mk", vec![Exp::Const(Value::scalar(3i64))]);
        let load = || Exp::Apply(Function::Builtin("loaddata".into()), vec![Exp::Const(Value::string("f"))]);
        assert_eq!(parse("(mk 3i64)"), mk());
        assert_eq!(parse("((mk 3i64))"), mk());
        assert_eq!(parse("($loaddata \"f\")"), load());
        assert_eq!(parse("f (mk 3i64) ($loaddata \"f\")"), call("f", vec![mk(), load()]));
        assert_eq!(parse("(mk 3i64, (mk 3i64))"), Exp::Tuple(vec![mk(), mk()]));
        assert_eq!(parse("(mk 3i64).x"), Exp::Project(Box::new(mk()), "x".into()));
        assert_eq!(
            parse("f (let y = mk 3i64 in y) y.0.a"),
            call(
                "f",
                vec![
                    Exp::Let(vec!["y".into()], Box::new(mk()), Box::new(call("y", vec![]))),
                    Exp::Project(Box::new(Exp::Project(Box::new(call("y", vec![])), "0".into())), "a".into()),
                ]
            )
        );
        assert_eq!(parse("[(mk 3i64)]"), Exp::Array(vec![mk()]));
        assert_eq!(parse("{a = (mk 3i64)}"), Exp::Record(vec![("a".into(), mk())]));
        assert_eq!(parse("x[(mk 3i64)].0"), {
            Exp::Project(Box::new(Exp::Index("x".into(), vec![mk()])), "0".into())
        });
        assert_eq!(parse("{}"), Exp::Record(vec![]));
        assert_eq!(parse("-- a comment\n(mk -- another\n 3i64)"), mk());
    }

    #[test]
    fn mistakes() {
        let texts = [
            "",
            "(",
            "let x 2 in x",
            "let x = 2",
            "let x = 2 let y = 3",
            "(1,,)",
            "f )",
            "[1, f",
            "1 2",
            "$",
            "x.",
            "{a}",
            "in",
            "(f 1) 2",
            "(f) 2",
            "x.a 1",
            "[]",
            "f[]",
            "{= 1}",
            "let () = f in 1",
            "(,)",
            "let in = 1 in 2",
            "x[1",
            "\"",
            "f \"a",
        ];
        for text in texts {
            assert!(parse_script(text).is_err(), "{text}");
        }
        assert!(parse_script(&"(".repeat(100_000)).is_err());
    }
}
