//! [`Tenant`]: the settings of the tenant.

use super::Client;
use super::error::Error;
use crate::wire::{TenantSettings, TenantView};

/// The settings of the tenant.
#[derive(Debug, Clone, Copy)]
pub struct Tenant<'c> {
    client: &'c Client,
}

impl<'c> Tenant<'c> {
    pub(super) fn new(client: &'c Client) -> Tenant<'c> {
        Tenant { client }
    }

    /// What sandboxes there may be, and what can be had.
    pub fn sandbox(&self) -> Result<TenantView, Error> {
        self.client.get("/v1/tenant/sandbox").json()
    }

    /// Replaces the settings.
    pub fn set_sandbox(&self, settings: &TenantSettings) -> Result<TenantView, Error> {
        self.client.put("/v1/tenant/sandbox").body(settings)?.json()
    }
}
