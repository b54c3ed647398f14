// npm run bench: makes sure that the production build exists, then bench/bench.mjs measures it.

import { PlainError } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureInstalled } from '../setup/install.mjs'

export async function bench(argv) {
  try {
    if (process.platform !== 'linux') throw new PlainError('The benchmark reads /proc, so it runs on Linux only.')
    await ensureInstalled(console.log)
    await ensureBuilt(console.log)
    const { runBench } = await import('../../../bench/bench.mjs')
    await runBench(argv)
  } catch (error) {
    console.error(error instanceof PlainError ? error.message.trim() : error)
    process.exitCode = 1
  }
}
