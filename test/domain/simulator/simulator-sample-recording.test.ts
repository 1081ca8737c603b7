import { expect } from 'chai'
import { sampleRecording } from '../../../src/domain/simulator/sample-recording.js'

describe('the sample recording', () => {
  const file = sampleRecording()
  const samples = Array.from({ length: (file.length - 44) / 2 }, (_, at) => file.readInt16LE(44 + at * 2))

  it('is a WAV file whose header fits its length: PCM, mono, 16 bit, 8,000 a second', () => {
    expect(file.toString('latin1', 0, 4)).to.equal('RIFF')
    expect(file.toString('latin1', 8, 16)).to.equal('WAVEfmt ')
    expect(file.toString('latin1', 36, 40)).to.equal('data')
    expect(file.readUInt32LE(4)).to.equal(file.length - 8)
    expect(file.readUInt32LE(40)).to.equal(file.length - 44)
    expect([16, 20, 22, 24, 28, 32, 34].map((at) => file.readUInt16LE(at))).to.deep.equal([
      16, 1, 1, 8000, 16_000, 2, 16,
    ])
  })

  it('lasts a second and can be heard, without a click at its ends', () => {
    expect(samples).to.have.length(8000)
    expect(Math.max(...samples)).to.be.within(0x2000, 0x7fff)
    expect(Math.min(...samples)).to.be.within(-0x8000, -0x2000)
    const jumps = samples.map((sample, at) => Math.abs(sample - (samples[at - 1] ?? 0)))
    expect(Math.max(...jumps)).to.be.below(6000)
    expect([samples[0], Math.abs(samples.at(-1) ?? 1) < 50]).to.deep.equal([0, true])
  })

  it('is always the same', () => {
    expect(sampleRecording().equals(file)).to.be.true
  })
})
