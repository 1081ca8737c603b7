// In `.env`, `NAME=` without a value leaves a setting out.
const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))

/** The settings from the environment; `.env.example` explains each. */
export const {
  LINEHOOK_URL = 'http://localhost:3000',
  PORT = '4000',
  APP_URL = `http://localhost:${PORT}`,
  CLIENT_ID,
  CLIENT_SECRET,
  SIGNING_SECRET,
} = given

const missing = Object.entries({ CLIENT_ID, CLIENT_SECRET, SIGNING_SECRET }).filter(([, value]) => !value)
if (missing.length > 0) {
  console.error(`Set ${missing.map(([name]) => name).join(', ')}: .env.example says where to find them.`)
  process.exit(1)
}
