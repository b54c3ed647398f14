// npm run figures: makes sure that the production build, the browser and the real programs are there, then bench/figures.mjs measures.
// With `bus` first, bench/bus.mjs measures, which needs only the build.
import { pathToFileURL } from 'node:url'
import { inRoot } from '../common/paths.mjs'
import { PlainError } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureChromium } from '../setup/chromium.mjs'
import { ensureInstalled } from '../setup/install.mjs'

export async function figures([subject, ...argv] = []) {
  try {
    if (process.platform !== 'linux') throw new PlainError('The figures are read from /proc, so they need Linux.')
    if (subject !== undefined && subject !== 'bus')
      throw new PlainError(`There are no figures of ${subject}, only of bus.`)
    await ensureInstalled(console.log)
    if (subject === 'bus') {
      await ensureBuilt(console.log)
      const { runBusFigures } = await import('../../../bench/bus.mjs')
      await runBusFigures(argv)
      return
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
