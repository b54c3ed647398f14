import { beforeEach, describe, expect, it } from 'vitest'
import { ViewerLane } from './viewer-lane'

/** A promise that a test settles. */
function open<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

describe('[AUTH-1] the lane of frames to viewers', () => {
  let said: string[]
  let judge: () => Promise<void>
  let lane: ViewerLane
  beforeEach(() => {
    said = []
    judge = async () => void said.push('judged')
    lane = new ViewerLane(() => judge())
  })
  const say = (words: string) => lane.send(() => void said.push(words))

  it('sends a frame that waits for a read before the frames behind it', async () => {
    const read = open<string>()
    const first = lane.sendPrepared(
      () => read.promise,
      (words) => void said.push(words),
    )
    const second = say('second')
    expect(said).toEqual([])
    read.resolve('first')
    await Promise.all([first, second])
    expect(said).toEqual(['judged', 'first', 'second'])
  })

  it('checks the rights after a read, and sends nothing before the check has ended', async () => {
    const judged = open<void>()
    judge = () => judged.promise
    const done = lane.sendPrepared(
      async () => 'words',
      (words) => void said.push(words),
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(said).toEqual([])
    judged.resolve()
    await done
    expect(said).toEqual(['words'])
  })

  it('reads for a frame only after the frame before it was sent', async () => {
    const prepare = (words: string) => async () => {
      said.push(`read ${words}`)
      return words
    }
    const one = lane.sendPrepared(prepare('1'), (words) => void said.push(words))
    await Promise.all([one, lane.sendPrepared(prepare('2'), (words) => void said.push(words))])
    expect(said).toEqual(['read 1', 'judged', '1', 'read 2', 'judged', '2'])
  })

  it.each([
    [
      'whose read fails',
      () =>
        lane.sendPrepared(
          () => Promise.reject(new Error('a read')),
          () => said.push('never'),
        ),
    ],
    [
      'that cannot be sent',
      () =>
        lane.send(() => {
          throw new Error('a read')
        }),
    ],
  ])('reports a frame %s, and sends the next', async (_what, failing) => {
    const failed = failing()
    const next = say('next')
    await expect(failed).rejects.toThrow('a read')
    await next
    expect(said.filter((words) => words !== 'judged')).toEqual(['next'])
  })

  it('sends nothing where the rights cannot be checked', async () => {
    judge = () => Promise.reject(new Error('no version'))
    await expect(say('secret')).rejects.toThrow('no version')
    judge = async () => {}
    await say('later')
    expect(said).toEqual(['later'])
  })
})
