// Finds a Chromium for the browser stories: the one that CHROMIUM_PATH names, an installed one, or a new download.
import { existsSync, readFileSync } from 'node:fs'
import { PlainError, run, tool } from '../common/run.mjs'

/** The browser without a window: a quarter less work for the same pages. */
const shell = 'chromium-headless-shell'
const usualPlaces = {
  linux: [shell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
    (name) => `/usr/bin/${name}`,
  ),
  darwin: ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  win32: ['C:\\Program Files', 'C:\\Program Files (x86)'].map(
    (dir) => `${dir}\\Google\\Chrome\\Application\\chrome.exe`,
  ),
}
const installed = () => (usualPlaces[process.platform] ?? []).find((file) => existsSync(file))

async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test')
  const file = chromium.executablePath()
  return existsSync(file) ? file : undefined
}

/** `[]` for root, `['sudo', '-n']` where that asks no password, null where packages may not be installed. */
async function debianRights() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  // Debian itself only: Ubuntu's package of this name is a stub that wants snap.
  if (!/^ID="?debian"?$/m.test(release)) return null
  if (process.getuid?.() === 0) return []
  return (await run(['sudo', '-n', 'true'])).code === 0 ? ['sudo', '-n'] : null
}

async function installFromDebian(say) {
  const rights = await debianRights()
  if (rights === null) return undefined
  say(`Installing Debian's ${shell}; to use another Chromium, set CHROMIUM_PATH.`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run([...rights, 'apt-get', 'update', '-q'], { env })
  const done = await run([...rights, 'apt-get', 'install', '-yq', '--no-install-recommends', shell], { env })
  if (done.code !== 0)
    say(`${done.output.trim().split('\n').slice(-3).join('\n')}\nThat failed; trying Playwright's own.`)
  return installed()
}

async function installPlaywrights(say) {
  say("Installing Playwright's own Chromium (npx playwright install chromium), because none was found.")
  const done = await run([tool('playwright'), 'install', 'chromium'], { show: true })
  return done.code === 0 ? playwrightsOwn() : undefined
}

/** The path of a Chromium; a plain sentence when none can be had. A build server gets the shell whatever else it has. */
export async function ensureChromium(say, { buildServer = false } = {}) {
  const named = process.env.CHROMIUM_PATH
  if (named && !existsSync(named)) throw new PlainError(`CHROMIUM_PATH names ${named}, but there is no such file.`)
  const found =
    named ||
    (buildServer && !existsSync(`/usr/bin/${shell}`) && (await installFromDebian(say))) ||
    installed() ||
    (await playwrightsOwn()) ||
    (await installFromDebian(say)) ||
    (await installPlaywrights(say))
  if (found) return found
  throw new PlainError('Chromium was not found and cannot be installed. Install one and set CHROMIUM_PATH to it.')
}
