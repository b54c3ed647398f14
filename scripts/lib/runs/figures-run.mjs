// npm run figures: makes sure that the production build, the browser and the real programs are there, then bench/figures.mjs measures.
// With `bus`, `delivery` or `runs` first, the file of that name in bench measures, which needs only the build.
import { pathToFileURL } from 'node:url'
import { inRoot } from '../common/paths.mjs'
import { PlainError } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureChromium } from '../setup/chromium.mjs'
import { ensureInstalled } from '../setup/install.mjs'

/** @type {Record<string, (argv: string[]) => Promise<void>>} */
const subjects = {
  bus: async (argv) => (await import('../../../bench/bus.mjs')).runBusFigures(argv),
  delivery: async () => (await import('../../../bench/delivery.mjs')).runDeliveryFigures(),
  runs: async () => (await import('../../../bench/runs.mjs')).runRunFigures(),
}

export async function figures([subject, ...argv] = []) {
  try {
    if (process.platform !== 'linux') throw new PlainError('The figures are read from /proc, so they need Linux.')
    if (subject !== undefined && !Object.hasOwn(subjects, subject))
      throw new PlainError(`There are no figures of ${subject}, only of ${Object.keys(subjects).join(', ')}.`)
    await ensureInstalled(console.log)
    if (subject !== undefined) {
      await ensureBuilt(console.log)
      return await subjects[subject](argv)
    }
    process.env.CHROMIUM_PATH = await ensureChromium(console.log)
    const backends = await import(pathToFileURL(inRoot('e2e/real-backends/install.mjs')).href)
    console.log(backends.describeBackends(await backends.installRealBackends()))
    await ensureBuilt(console.log)
    const { runFigures } = await import('../../../bench/figures.mjs')
    await runFigures()
  } catch (error) {
    console.error(error instanceof PlainError ? error.message.trim() : error)
    process.exitCode = 1
  }
}
