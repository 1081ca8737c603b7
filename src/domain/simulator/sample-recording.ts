const SAMPLES_PER_SECOND = 8000
const HEADER_BYTES = 44

/** Two rising notes, in Hz, each of half a second. */
const NOTES = [440, 587]
const NOTE_SAMPLES = SAMPLES_PER_SECOND / 2
/** The start and the end of a note fade over this many samples, because a tone that is cut off abruptly clicks. */
const FADE_SAMPLES = 400

/** Makes a second of sound as a WAV file (PCM, 16 bit, mono), for users who have no recording. */
export function sampleRecording(): Buffer {
  const samples = NOTES.flatMap((hertz) => Array.from({ length: NOTE_SAMPLES }, (_, at) => tone(hertz, at)))
  const file = Buffer.alloc(HEADER_BYTES + samples.length * 2)
  file.write('RIFF', 0)
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  file.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples.length * 2, 40)
  for (const [at, sample] of samples.entries()) file.writeInt16LE(sample, HEADER_BYTES + at * 2)
  return file
}

function tone(hertz: number, at: number): number {
  const loudness = Math.min(1, at / FADE_SAMPLES, (NOTE_SAMPLES - at) / FADE_SAMPLES)
  return Math.round(Math.sin((2 * Math.PI * hertz * at) / SAMPLES_PER_SECOND) * loudness * 0x2fff)
}
