import { describe, expect, it } from 'vitest'
import { ArtifactLane, artifactLimits } from './artifact-lane'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('chunks from machines', () => {
  /** Work that ends when the test says so. */
  const held = () => {
    let end = () => {}
    const began: string[] = []
    const work = (name: string) => () => {
      began.push(name)
      return new Promise<string>((resolve) => {
        end = () => resolve(name)
      })
    }
    return { began, work, end: () => end() }
  }

  it('[LOG-6] no more than two are on their way from one machine, and the others come in their order', async () => {
    const lane = new ArtifactLane()
    const ends: Array<() => void> = []
    const began: string[] = []
    const ask = (person: string) =>
      lane.run('m1', person, () => {
        began.push(person)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const all = ['a', 'b', 'c', 'd'].map(ask)
    await settled()
    expect(began).toEqual(['a', 'b'])
    ends.shift()?.()
    await settled()
    expect(began).toEqual(['a', 'b', 'c'])
    while (ends.length > 0) {
      ends.shift()?.()
      await settled()
    }
    await Promise.all(all)
    expect(began).toEqual(['a', 'b', 'c', 'd'])
  })

  it('[LOG-6] who asks for too many at once, or finds too many waiting, hears so, and another machine is another matter', async () => {
    const lane = new ArtifactLane()
    const ends: Array<() => void> = []
    const ask = (person: string, machine = 'm1') =>
      lane.run(machine, person, () => new Promise<void>((resolve) => ends.push(resolve)))
    const all = [ask('a'), ask('a')]
    await expect(ask('a')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    for (let i = 0; i < artifactLimits.waitingAtMachine; i++) all.push(ask(`p${i}`))
    await expect(ask('late')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    all.push(ask('late', 'm2'))
    while (ends.length > 0) {
      ends.shift()?.()
      await settled()
    }
    await Promise.all(all)
  })

  it('[LOG-6] one that fails makes room like any other', async () => {
    const lane = new ArtifactLane()
    for (let i = 0; i < 5; i++)
      await expect(lane.run('m1', 'a', async () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
    const { work, end, began } = held()
    const last = lane.run('m1', 'a', work('last'))
    await settled()
    expect(began).toEqual(['last'])
    end()
    expect(await last).toBe('last')
  })
})
