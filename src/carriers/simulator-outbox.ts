/** The simulator's memory, which is outside this process: to the outside, two workers are one carrier. */
export interface SimulatorOutbox {
  take(message: {
    carrierMessageId: string
    messageId: string
    fromNumber: string
    toNumber: string
    text: string | null
    mediaUrls: readonly string[]
  }): Promise<unknown>
}
