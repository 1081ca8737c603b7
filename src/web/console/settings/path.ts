export const SETTINGS = '/console/settings'
