/** The scripts of BullMQ that `add-jobs.ts` builds on; BullMQ's types leave them out. */
declare module 'bullmq/dist/cjs/scripts/addStandardJob-9.js' {
  export const addStandardJob: { name: string; content: string; keys: number }
}
