/** The scripts of BullMQ, which its types leave out: what `add-jobs.ts` builds on. */
declare module 'bullmq/dist/cjs/scripts/addStandardJob-9.js' {
  export const addStandardJob: { name: string; content: string; keys: number }
}
