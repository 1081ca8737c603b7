export const SECOND_FACTOR = '/console/settings/second-factor'
