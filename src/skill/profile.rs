//! What one agent system accepts, as data.
