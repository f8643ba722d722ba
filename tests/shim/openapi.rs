//! The generated OpenAPI document as a judge: each answer must be one that its route promises, each body of a request that was taken must fit.

use serde_json::Value;

use super::harness::Reply;

/// The document.
pub struct Document(Value);

/// A schema with the document that its references point into, for the parts of JSON Schema that the document uses.
struct Schema<'d> {
    document: &'d Value,
    schema: &'d Value,
}

impl Document {
    pub fn read(text: &str) -> Document {
        Document(serde_json::from_str(text).unwrap())
    }

    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The operation of a path, if the document has one.
    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let path = path.split('?').next().unwrap();
        let paths = self.0["paths"].as_object().unwrap();
        let fits = |template: &str| {
            let (mut given, mut wanted) = (path.split('/'), template.split('/'));
            loop {
                match (given.next(), wanted.next()) {
                    (None, None) => return true,
                    (Some(_), Some("{path}")) => return true,
                    (Some(_), Some(name)) if name.starts_with('{') => {}
                    (Some(one), Some(other)) if one == other => {}
                    _ => return false,
                }
            }
        };
        let item = paths.iter().find(|(template, _)| fits(template))?.1;
        item.get(method.to_lowercase())
    }

    /// Panics when an exchange is not what the document says.
    pub fn check(&self, method: &str, path: &str, body: Option<(&str, &[u8])>, reply: &Reply) {
        let Some(operation) = self.operation(method, path) else {
            assert!(
                [404, 405, 401, 403, 426, 200].contains(&reply.status),
                "{method} {path}: not in the document"
            );
            return;
        };
        let place = format!("{method} {path}: {}", reply.status);
        let responses = &operation["responses"];
        let class = format!("{}XX", reply.status / 100);
        let response = responses
            .get(reply.status.to_string())
            .or_else(|| responses.get(&class));
        let response = response.unwrap_or_else(|| panic!("{place}: no such response: {}", reply.body));
        if let Some(schema) = response.pointer("/content/application~1json/schema") {
            self.schema(schema).check(&reply.body, &place);
        }
        let request = operation.pointer("/requestBody/content/application~1json/schema");
        if let (true, Some(schema), Some(("application/json", bytes))) = (reply.status < 300, request, body) {
            let sent = serde_json::from_slice(bytes).unwrap();
            self.schema(schema).check(&sent, &format!("{place}: request"));
        }
    }

    fn schema<'d>(&'d self, schema: &'d Value) -> Schema<'d> {
        Schema {
            document: &self.0,
            schema,
        }
    }
}

impl Schema<'_> {
    fn check(&self, value: &Value, place: &str) {
        if let Err(problem) = self.fits(value) {
            panic!("{place}: {problem}\n{value:#}");
        }
    }

    fn of<'s>(&'s self, schema: &'s Value) -> Schema<'s> {
        Schema {
            document: self.document,
            schema,
        }
    }

    fn fits(&self, value: &Value) -> Result<(), String> {
        if let Some(reference) = self.schema["$ref"].as_str() {
            let target = self.document.pointer(reference.trim_start_matches('#'));
            return self.of(target.ok_or(format!("no {reference}"))?).fits(value);
        }
        self.fits_type(value)?;
        for one in self.schema["allOf"].as_array().into_iter().flatten() {
            self.of(one).fits(value)?;
        }
        if let Some(choices) = self
            .schema
            .get("oneOf")
            .or(self.schema.get("anyOf"))
            .and_then(Value::as_array)
        {
            let results: Vec<_> = choices.iter().map(|one| self.of(one).fits(value)).collect();
            if !results.iter().any(Result::is_ok) {
                return Err(format!("none of {results:?}"));
            }
        }
        if let Some(values) = self.schema["enum"].as_array()
            && !values.contains(value)
        {
            return Err(format!("{value} is none of {values:?}"));
        }
        self.fits_object(value)?;
        for item in value.as_array().into_iter().flatten() {
            if self.schema["items"].is_object() {
                self.of(&self.schema["items"]).fits(item)?;
            }
        }
        Ok(())
    }

    fn fits_type(&self, value: &Value) -> Result<(), String> {
        let allowed: Vec<&str> = match &self.schema["type"] {
            Value::String(one) => vec![one],
            Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
            _ => return Ok(()),
        };
        let is = |name: &str| match name {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            other => panic!("type {other}"),
        };
        if allowed.iter().any(|name| is(name)) {
            return Ok(());
        }
        Err(format!("{value} is not {allowed:?}"))
    }

    fn fits_object(&self, value: &Value) -> Result<(), String> {
        let Some(object) = value.as_object() else {
            return Ok(());
        };
        for name in self.schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap()) {
                return Err(format!("{name} is missing"));
            }
        }
        let properties = self.schema["properties"].as_object();
        for (name, field) in object {
            let known = properties.and_then(|properties| properties.get(name));
            match (known, &self.schema["additionalProperties"]) {
                (Some(schema), _) => self
                    .of(schema)
                    .fits(field)
                    .map_err(|problem| format!("{name}: {problem}"))?,
                (None, Value::Bool(false)) => return Err(format!("{name} is unknown")),
                (None, schema @ Value::Object(_)) => self.of(schema).fits(field)?,
                (None, _) if properties.is_some() && self.schema.get("allOf").is_none() => {
                    return Err(format!("{name} is not in the document"));
                }
                (None, _) => {}
            }
        }
        Ok(())
    }
}
