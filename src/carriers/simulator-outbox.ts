/** The simulator's memory, which is outside this process: two workers are one carrier to the outside. */
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
