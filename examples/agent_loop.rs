//! An agent loop that links the library: a model asks for tools, the loop runs them and hands the answers back, until the model has no more to ask.
//!
//! The model here is a script, so that the example runs without a network. A real one stands behind the same trait: it is shown the
//! conversation and the tools' definitions, and says what it wants next.
//!
//! ```sh
//! cargo run --example agent_loop
//! ```

use exuvia::tool::{Call, Definition, OutputChunk, VirtualWorkspace, call_blocking, definitions};
use serde_json::{Value, json};

/// What a model says.
enum Turn {
    /// It wants these tools to be called: name and input.
    Tools(Vec<(&'static str, Value)>),
    /// It is done.
    Answer(String),
}

/// What was said so far.
enum Message {
    Task(String),
    ToolResult { tool: &'static str, outcome: Value },
}

trait Model {
    fn next(&mut self, conversation: &[Message], tools: &[Definition]) -> Turn;
}

/// Plays one part, looking at the answers it gets where a real model would.
struct ScriptedModel {
    turn: usize,
}

impl Model for ScriptedModel {
    fn next(&mut self, conversation: &[Message], _: &[Definition]) -> Turn {
        self.turn += 1;
        match self.turn {
            1 => Turn::Tools(vec![
                ("glob", json!({"pattern": "*.{csv,sh}"})),
                ("read", json!({"path": "report.sh"})),
            ]),
            2 => Turn::Tools(vec![("bash", json!({"command": "bash report.sh sales.csv"}))]),
            // The total is wrong: the script adds the wrong column.
            3 => Turn::Tools(vec![
                (
                    "edit",
                    json!({"path": "report.sh", "old_string": "$3", "new_string": "$2"}),
                ),
                (
                    "bash",
                    json!({"command": "bash report.sh sales.csv | tee report.txt", "timeout": 10}),
                ),
            ]),
            _ => Turn::Answer(format!("The report says: {}", last_output(conversation))),
        }
    }
}

fn last_output(conversation: &[Message]) -> String {
    let outcome = conversation.iter().rev().find_map(|message| match message {
        Message::ToolResult { outcome, .. } => outcome["output"]["stdout"].as_str(),
        Message::Task(_) => None,
    });
    outcome.unwrap_or("nothing").trim().to_owned()
}

/// What a person who watches sees. The output of bash was printed as it came.
fn show(message: &Message) {
    match message {
        Message::Task(task) => println!("{task}"),
        Message::ToolResult { tool: "bash", .. } => {}
        Message::ToolResult { outcome, .. } => println!("{outcome:#}"),
    }
}

/// The loop itself.
fn run(model: &mut dyn Model, workspace: &mut VirtualWorkspace, task: &str) -> String {
    let tools = definitions();
    let task = Message::Task(task.to_owned());
    show(&task);
    let mut conversation = vec![task];
    loop {
        let calls = match model.next(&conversation, &tools) {
            Turn::Answer(answer) => return answer,
            Turn::Tools(calls) => calls,
        };
        for (tool, input) in calls {
            println!("> {tool} {input}");
            let mut print = |chunk: OutputChunk| print!("{}", chunk.text);
            let call = Call {
                output: Some(&mut print),
                ..Call::default()
            };
            // Input that does not fit the schema is the model's mistake, too: it may try again.
            let outcome = match call_blocking(workspace, tool, input, call) {
                Ok(outcome) => json!(outcome),
                Err(error) => {
                    json!({"kind": "failed", "code": "invalid_input", "message": error.to_string()})
                }
            };
            let message = Message::ToolResult { tool, outcome };
            show(&message);
            conversation.push(message);
        }
    }
}

fn main() -> Result<(), exuvia::Error> {
    let shell = VirtualWorkspace::builder()
        .file("/workspace/sales.csv", "north,120,7\nsouth,80,9\n")
        .file(
            "/workspace/report.sh",
            "awk -F, '{ sum += $3 } END { print \"total\", sum }' \"$1\"\n",
        )
        .build()?;
    let mut workspace = VirtualWorkspace::new(shell);
    let task = "The report of the sales is wrong. Correct it.";
    let answer = run(&mut ScriptedModel { turn: 0 }, &mut workspace, task);
    println!("{answer}");
    assert_eq!(answer, "The report says: total 200");
    Ok(())
}
