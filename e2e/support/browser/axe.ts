/** The serious and critical findings of axe on a page. */
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { desktop, everyScreen } from './screens'

/** No page embeds another one, so axe needs no second page to combine results. Passed checks are left out. */
async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return grave.map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}`)
}

/** A color that is still changing to the other theme is no fault. A real fault is found again. */
async function lastingFaultsOf(page: Page): Promise<string[]> {
  let faults: string[] = []
  for (let look = 0; look < 3; look += 1) {
    await page.evaluate(settleColors)
    faults = await faultsOf(page)
    if (faults.length === 0) break
  }
  return faults
}

type Theme = 'light' | 'dark'
const both: readonly Theme[] = ['light', 'dark']

export async function inBothThemes(page: Page, themes = both): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    found.push(
      ...(await lastingFaultsOf(page)).map((fault) => `${new URL(page.url()).pathname} ${colorScheme}: ${fault}`),
    )
  }
  return found
}

/** For a story of both screens: light on the desktop, dark on the phone. `npm run screens` looks at both themes on both. */
export const inOneTheme = (page: Page) =>
  inBothThemes(page, everyScreen ? both : [page.viewportSize()?.width === desktop.width ? 'light' : 'dark'])

/** Runs in the page. Even the shortest transition to the other theme takes a frame, in which colors are in between. */
async function settleColors(): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  await frame()
  const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
  await Promise.allSettled(ending.map(({ finished }) => finished))
}
