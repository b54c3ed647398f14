/**
 * Bits that turn over in texts that a machine has written, unknown to every process. Their chance is a stream of its own, so
 * that a seed tells the same story with them and without.
 */
import type { Simulation } from './simulation'
import { Rng } from './world/rng'
import { uidOf } from './world/truth'

const SALT = 0x5eed_b175

export function startBitFlips(sim: Simulation): void {
  const { world, machines } = sim
  const rng = new Rng(world.seed + SALT)
  if (!rng.chance(0.3)) return
  const again = (): void => {
    world.clock.after(rng.between(500, 4_000), () => {
      if (world.calm) return
      again()
      const host = rng.pick(machines.flatMap(({ hosts }) => [...hosts.values()]))
      const row = rng.pick(host?.disk.durable.rows.filter(({ kind }) => kind === 'assistant_text') ?? [])
      if (!host || !row) return
      world.trace(() => `a bit of ${row.seq} of ${host.sessionId} turns over`)
      world.truth.damaged(uidOf(row) ?? '', row.hash)
      const body = row.body.replace(/"turnId":"./, '"turnId":"~')
      host.disk.damage((file) => ({
        ...file,
        rows: file.rows.map((each) => (each.seq === row.seq ? { ...each, body } : each)),
      }))
    })
  }
  again()
}
