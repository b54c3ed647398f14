import { script } from '@roundhouse/adapter-scripted'
import { CodedError } from '@roundhouse/backend-types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HostWorld } from '../../testing/host-world'
import { stopTurn } from './turn-stop'

const never = () => new Promise<void>(() => {})

/** A program with an open turn, that ends both when it is ended. */
function program({ held = false, obeys = false } = {}) {
  let isOpen = true
  let ends = 0
  let tell = () => {}
  const over = new Promise<void>((resolve) => {
    tell = resolve
  })
  return {
    over,
    ends: () => ends,
    close: () => {
      isOpen = false
    },
    ports: {
      isHeld: () => held,
      isOpen: () => isOpen,
      endProcess: async () => {
        ends += 1
        isOpen = false
        tell()
      },
    },
    ask: async () => {
      if (!obeys) return never()
      isOpen = false
    },
  }
}

describe('[CMD-5.10] a turn that a person stops', () => {
  it('ends with its program where that answers nothing', async () => {
    const deaf = program()
    await stopTurn(deaf.ask, deaf.ports, 1)
    expect(deaf.ends()).toBe(1)
  })

  it('ends with its program where that says yes and goes on', async () => {
    const liar = program()
    await stopTurn(async () => {}, liar.ports, 1)
    await liar.over
    expect(liar.ends()).toBe(1)
  })

  it('leaves a program alone that obeys', async () => {
    const good = program({ obeys: true })
    await stopTurn(good.ask, good.ports, 1)
    const next = program()
    await stopTurn(next.ask, next.ports, 1)
    expect(good.ends()).toBe(0)
  })

  it('is told the error of a program that refuses, but not that it was ended meanwhile', async () => {
    const refuses = async () => {
      throw new CodedError('UNSUPPORTED')
    }
    const open = program()
    await expect(stopTurn(refuses, open.ports, 60_000)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    const ended = program()
    ended.close()
    await stopTurn(refuses, ended.ports, 60_000)
  })

  it('ends with a program that stands still and hears nothing, and the next prompt starts another', async () => {
    const world = await HostWorld.create()
    onTestFinished(() => world.dispose())
    const host = await world.open({ stopLimitMs: 100 })
    await host.client.command(world.create({}, script([{ text: 'I go on ', hang: true }])))
    const { turnId = '' } = await host.until(() => host.frames.length > 0 && host.state)
    const [frozen] = world.record().procs
    if (!frozen) throw new Error('a backend is recorded')
    process.kill(frozen.pid, 'SIGSTOP')
    expect(await host.run(world.command({ kind: 'turn.interrupt', turnId }))).toEqual({ state: 'done' })
    const state = await host.status('resumable')
    expect(state.queueHeld).toBe(false)
    expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(['process_exited'])
    expect(world.of('process_exited').map(({ cause }) => cause)).toEqual(['killed'])
    const next = world.prompt(script([{ text: 'Here is another.' }]))
    expect(await host.run(next)).toEqual({ state: 'done' })
    expect(world.of('assistant_text').at(-1)?.text).toBe('Here is another.')
  }, 30_000)
})
