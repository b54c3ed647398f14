// A hub with many stored events: opening a session, and starting.
import { percentiles, round, sleep } from '../lib/util.mjs'
import { openSessions } from './support.mjs'

/** The latest 200 events of sessions of different sizes. */
export async function load(target, { small = 5_000, large = 100_000, bytes = 300, repeat = 50 } = {}, { dir }) {
  await target.start(dir)
  const sizes = [small, large]
  const sids = await openSessions(target, sizes.length, 'load')
  await target.stop()
  for (const [i, size] of sizes.entries()) target.prefill([sids[i]], size, bytes)
  await target.start(dir)
  await sleep(2000)
  for (const sid of sids) await latest(target, sid, 10) // a warm hub: the first requests compile code
  const [ofSmall, ofLarge] = [await latest(target, sids[0], repeat), await latest(target, sids[1], repeat)]
  return { params: { small, large, bytes, repeat }, ofSmall, ofLarge }
}

async function latest(target, sid, repeat) {
  const ms = []
  let answer
  for (let i = 0; i < repeat; i++) {
    answer = await target.loadLatest(sid, 200)
    ms.push(answer.ms)
  }
  return { status: answer.status, rows: target.countIn(answer), bytes: answer.buf.length, ...percentiles(ms) }
}

/** Start to ready: empty, and with `sessions` x `per` events. The best of three: a start is disturbed easily, never helped. */
export async function startup(target, { sessions = 100, per = 10_000, bytes = 300 } = {}, { dir }) {
  await target.start(dir)
  const emptyMs = await bestStart(target, dir)
  const sids = await openSessions(target, sessions, 'startup')
  await target.stop()
  const prefill = target.prefill(sids, per, bytes)
  await target.start(dir)
  const fullMs = await bestStart(target, dir)
  const rows = target.countIn(await target.loadLatest(sids[0], 200))
  return { params: { sessions, per, bytes }, prefill, emptyMs, fullMs, events: sessions * per, rows }
}

async function bestStart(target, dir) {
  const ms = [target.startMs]
  for (let i = 0; i < 2; i++) {
    await target.stop()
    await target.start(dir)
    ms.push(target.startMs)
  }
  return round(Math.min(...ms))
}
