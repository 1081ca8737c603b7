export const SETTINGS = '/console/settings'
export const MAILS = `${SETTINGS}#mails`
