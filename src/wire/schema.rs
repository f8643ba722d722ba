//! Schemas that no derive can say: values of several shapes, and the outcome of a tool, whose types are not of this module.

use serde_json::Value;
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::{DefaultSandbox, SandboxChoice, SpecInput};
use crate::tool::{Definition, definitions};

type Schemas = Vec<(String, RefOr<Schema>)>;

fn push_spec(schemas: &mut Schemas) {
    schemas.push(("SpecInput".to_owned(), SpecInput::schema()));
    SpecInput::schemas(schemas);
}

/// A spec, or one of the other shapes.
fn spec_or(others: impl IntoIterator<Item = Object>) -> RefOr<Schema> {
    let others = others.into_iter().fold(OneOfBuilder::new(), OneOfBuilder::item);
    others.item(Ref::from_schema_name("SpecInput")).into()
}

impl PartialSchema for SandboxChoice {
    fn schema() -> RefOr<Schema> {
        let no = ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .enum_values(Some([false]));
        let attach = ObjectBuilder::new()
            .schema_type(Type::Object)
            .property("id", ObjectBuilder::new().schema_type(Type::String))
            .required("id");
        spec_or([no.build(), attach.build()])
    }
}

impl ToSchema for SandboxChoice {
    fn schemas(schemas: &mut Schemas) {
        push_spec(schemas);
    }
}

impl PartialSchema for DefaultSandbox {
    fn schema() -> RefOr<Schema> {
        let name = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(["none", "virtual"]));
        spec_or([name.build()])
    }
}

impl ToSchema for DefaultSandbox {
    fn schemas(schemas: &mut Schemas) {
        push_spec(schemas);
    }
}

/// The input of one of the tools, as a model is told of it.
#[derive(Debug, Clone, Copy)]
pub struct ToolInput;

impl PartialSchema for ToolInput {
    fn schema() -> RefOr<Schema> {
        let read = |tool: Definition| serde_json::from_value::<Schema>(tool.input_schema).ok();
        let tools = definitions().into_iter().filter_map(read);
        tools.fold(AnyOfBuilder::new(), AnyOfBuilder::item).into()
    }
}

impl ToSchema for ToolInput {}

/// What a tool call came to, as [`crate::tool::Outcome`] is written.
#[derive(Debug, Clone, ToSchema)]
pub struct ToolOutcome {
    /// `completed` or `failed`.
    #[allow(dead_code)] // it is a schema alone
    kind: String,
    /// When completed: what the tool answers.
    #[allow(dead_code)]
    output: Option<Value>,
    /// When failed: why, for programs.
    #[allow(dead_code)]
    code: Option<String>,
    /// When failed: why, for people and models.
    #[allow(dead_code)]
    message: Option<String>,
}
