import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { resumesByItself, resumeTriesKey } from '../log/resume-tries'
import { Resumer } from './resumer'

let tries = 0
const kept = {
  read: () => tries,
  write: (count: number) => {
    tries = count
  },
}
beforeEach(() => {
  tries = 0
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

describe('[RES-3] a session that is resumed by itself', () => {
  it('is tried three times, ever later, by whichever host; a completed turn begins anew', async () => {
    let resumed = 0
    const resume = async () => {
      resumed += 1
      return true
    }
    for (let crash = 1; crash <= 5; crash += 1) {
      new Resumer(resume, kept).later() // each time the host has died, too
      await vi.runAllTimersAsync()
    }
    expect(resumed).toBe(3)
    const last = new Resumer(resume, kept)
    last.reset()
    last.later()
    await vi.runAllTimersAsync()
    expect(resumed).toBe(4)
  })

  it('is tried again where it could not be started', async () => {
    let resumed = 0
    new Resumer(async () => {
      resumed += 1
      return resumed === 2
    }, kept).later()
    await vi.runAllTimersAsync()
    expect(resumed).toBe(2)
  })

  it.each([
    ['it wants it', { autoResume: true }, null, true],
    ['it was tried twice', { autoResume: true }, '2', true],
    ['it was tried three times', { autoResume: true }, '3', false],
    ['it does not want it', {}, null, false],
  ])('the daemon knows by its log: %s', (_when, settings, count, expected) => {
    const values = new Map([['settings', JSON.stringify({ settings })]])
    if (count !== null) values.set(resumeTriesKey, count)
    expect(resumesByItself((key) => values.get(key) ?? null)).toBe(expected)
  })
})
