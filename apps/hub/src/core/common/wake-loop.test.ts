import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { WakeLoop } from './wake-loop'

interface Step {
  resolve: (isMore: boolean) => void
  reject: (error: unknown) => void
}

const disk = new Error('the disk')

describe('a loop', () => {
  let steps: Step[]
  let errors: unknown[]
  let loop: WakeLoop
  const start = (options: { restsAfterFailure?: boolean } = {}) => {
    const step = () => new Promise<boolean>((resolve, reject) => steps.push({ resolve, reject }))
    return new WakeLoop({ step, onError: (error) => errors.push(error), ...options })
  }
  /** The step under way ends; waits until the next one has begun, if there is to be one. */
  const end = async (isMore = false) => {
    steps.at(-1)?.resolve(isMore)
    await nextTurn()
  }
  const fail = async () => {
    steps.at(-1)?.reject(disk)
    await nextTurn()
  }
  const wake = async () => {
    loop.wake()
    await nextTurn()
  }
  beforeEach(() => {
    steps = []
    errors = []
    loop = start()
  })

  it('rests until it is woken, and again when its step is done', async () => {
    expect([loop.isAtWork, steps.length]).toEqual([false, 0])
    await wake()
    expect([loop.isAtWork, steps.length]).toEqual([true, 1])
    await end()
    expect([loop.isAtWork, steps.length]).toEqual([false, 1])
    await wake()
    expect([loop.isAtWork, steps.length]).toEqual([true, 2])
  })

  it('does one step for all who wake it in the same moment', async () => {
    loop.wake()
    await wake()
    await end()
    expect([loop.isAtWork, steps.length]).toEqual([false, 1])
  })

  it('does one more step after the one under way, however often it is woken meanwhile', async () => {
    await wake()
    await wake()
    await wake()
    expect(steps).toHaveLength(1)
    await end()
    expect(steps).toHaveLength(2)
    await end()
    expect([loop.isAtWork, steps.length]).toEqual([false, 2])
  })

  it('does one step after the other while a step says that there may be more', async () => {
    await wake()
    await end(true)
    await end(true)
    expect([loop.isAtWork, steps.length]).toEqual([true, 3])
    await end()
    expect([loop.isAtWork, steps.length]).toEqual([false, 3])
  })

  it('is idle when nothing is left to do', async () => {
    await loop.idle()
    await wake()
    await wake()
    let isIdle = false
    const idle = loop.idle().then(() => {
      isIdle = true
    })
    await end()
    expect([isIdle, steps.length]).toEqual([false, 2])
    await end()
    await idle
    expect(loop.isAtWork).toBe(false)
  })

  describe('whose step fails', () => {
    it('tells the error, and works again when it is woken', async () => {
      await wake()
      await fail()
      expect([loop.isAtWork, errors]).toEqual([false, [disk]])
      await wake()
      await fail()
      expect(errors).toEqual([disk, disk])
      await wake()
      expect(steps).toHaveLength(3)
    })

    it('does what it was woken for meanwhile', async () => {
      await wake()
      await wake()
      await fail()
      expect([loop.isAtWork, steps.length]).toEqual([true, 2])
    })
  })

  describe('that rests after a failure', () => {
    beforeEach(() => {
      loop = start({ restsAfterFailure: true })
    })

    it('rests until somebody wakes it after the failure', async () => {
      await wake()
      await wake()
      await fail()
      expect([loop.isAtWork, steps.length]).toEqual([false, 1])
      await wake()
      expect([loop.isAtWork, steps.length]).toEqual([true, 2])
    })

    it('tells the first error of failures in a row', async () => {
      for (let tries = 0; tries < 3; tries += 1) {
        await wake()
        await fail()
      }
      expect(errors).toEqual([disk])
      await wake()
      await end(true)
      await fail()
      expect(errors).toEqual([disk, disk])
    })

    it('does a step for those who wait for one, also after a failure', async () => {
      await wake()
      const waits = loop.run()
      await fail()
      await end()
      await waits
      expect(steps).toHaveLength(2)
    })
  })

  describe('whose step somebody waits for', () => {
    it('answers when a step has ended that began after the call, and does not wait for those behind it', async () => {
      await wake()
      let hasRun = false
      const waits = loop.run().then(() => {
        hasRun = true
      })
      await end()
      expect(hasRun).toBe(false)
      await wake()
      await end()
      await waits
      expect([loop.isAtWork, steps.length]).toEqual([true, 3])
    })

    it('rejects to everybody who waits for a step that fails, and tells it to nobody else', async () => {
      const waits = [loop.run(), loop.run()].map((run) => run.catch((error) => error))
      await wake()
      await fail()
      expect([await Promise.all(waits), errors, steps.length]).toEqual([[disk, disk], [], 1])
    })
  })

  describe('that is stopped', () => {
    it('waits for the step under way, and begins no other', async () => {
      await wake()
      await wake()
      let hasStopped = false
      const stopped = loop.stop().then(() => {
        hasStopped = true
      })
      await nextTurn()
      expect([loop.isStopped, hasStopped]).toEqual([true, false])
      await end(true)
      await stopped
      await wake()
      expect([loop.isAtWork, steps.length]).toEqual([false, 1])
    })

    it('still does what it was woken for just before', async () => {
      loop.wake()
      const stopped = loop.stop()
      await nextTurn()
      expect(steps).toHaveLength(1)
      await end()
      await stopped
    })

    it('lets nobody wait for a step that never begins', async () => {
      await wake()
      const waits = loop.run()
      const stopped = loop.stop()
      await end()
      await Promise.all([waits, stopped, loop.run()])
      expect(steps).toHaveLength(1)
    })
  })
})
