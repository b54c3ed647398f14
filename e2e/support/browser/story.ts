/**
 * The Playwright test of stories: a system with one backend, a signed-in page, and the few actions of a person. Stories
 * read as sentences; the clicks are defined here. Stories of one file share a system per backend, and each has its own
 * session. A failed story ends the worker, so the next one gets a new system.
 */
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { type BackendKind, missingReason } from '../processes/backends'
import { signInPage } from '../processes/browser-login'
import { type System, startSystem } from '../processes/system'

export { expect }

/**
 * What the stories of one file share. The next file of the same worker gets new systems: what other stories leave in
 * the inbox, lists and counts would otherwise depend on which files a worker happened to run.
 */
class SystemsOfFile {
  private file = ''
  private readonly started = new Map<BackendKind, Promise<System>>()

  async get(file: string, kind: BackendKind): Promise<System> {
    if (file !== this.file) await this.dispose()
    this.file = file
    const system = this.started.get(kind) ?? startSystem(kind)
    this.started.set(kind, system)
    return system
  }

  async dispose(): Promise<void> {
    const systems = [...this.started.values()]
    this.started.clear()
    for (const system of systems) await (await system).dispose()
  }
}

export interface StoryFixtures {
  kind: BackendKind
  system: System
  person: Person
}

export const test = base.extend<StoryFixtures, { systems: SystemsOfFile }>({
  kind: ['scripted', { option: true }],
  systems: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
    async ({}, use) => {
      const systems = new SystemsOfFile()
      await use(systems)
      await systems.dispose()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  system: async ({ kind, systems }, use, { file }) => {
    const missing = await missingReason(kind)
    base.skip(missing !== null, missing ?? '')
    await use(await systems.get(file, kind))
  },
  person: async ({ page, system }, use) => {
    const person = new Person(page, system)
    await person.open()
    await use(person)
  },
})

/** The same stories on one backend. The tag in the title distinguishes the runs. */
export function onBackend(kind: BackendKind, stories: () => void): void {
  test.describe(`[${kind}]`, () => {
    test.use({ kind })
    stories()
  })
}

export class Person {
  readonly page: Page
  readonly system: System

  constructor(page: Page, system: System) {
    this.page = page
    this.system = system
  }

  /** Opens the inbox with the owner's login. */
  async open(): Promise<void> {
    await signInPage(this.page, this.system.hub.url)
    await this.page.goto(`${this.system.hub.url}/`)
    await expect(this.page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  }

  /** Uses the dialog, as a person would. Resolves to the session's id. */
  async startSession(prompt: string): Promise<string> {
    await this.page.getByRole('button', { name: 'New session' }).first().click()
    await this.page.getByLabel('Program').selectOption(this.system.kind)
    await this.page.getByLabel('Folder').fill(this.system.workDir)
    await this.page.getByLabel('First prompt').fill(prompt)
    await this.page.getByRole('button', { name: 'Start session' }).click()
    await this.page.waitForURL(/\/sessions\/[^/]+$/)
    return this.sessionId
  }

  get sessionId(): string {
    return new URL(this.page.url()).pathname.split('/').at(-1) ?? ''
  }

  async send(prompt: string): Promise<void> {
    await this.page.getByLabel('Prompt').fill(prompt)
    await this.page.getByLabel('Prompt').press('Enter')
  }

  get transcript(): Locator {
    return this.page.getByRole('log', { name: 'Transcript' })
  }

  get ask(): Locator {
    return this.page.getByTestId('permission-prompt')
  }

  get status(): Locator {
    return this.page.getByTestId('session-status')
  }

  turnEnds(reason: string): Locator {
    return this.transcript.locator(`[data-testid=turn-end][data-reason=${reason}]`)
  }

  answer(name: string): Promise<void> {
    return this.ask.first().getByRole('button', { name, exact: true }).click()
  }

  /** On a small screen a part of the request is below the fold, and nobody can allow what was not on the screen (PERM-7). */
  async readToTheEnd(): Promise<void> {
    const ask = this.ask.first()
    const more = ask.getByRole('button', { name: 'More below' })
    await expect(async () => {
      // It disappears as soon as the end is visible, possibly before the click.
      while (await more.isVisible()) await more.click({ timeout: 1_000 })
      await expect(ask.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled({ timeout: 300 })
    }).toPass({ intervals: [50, 100, 250] })
  }

  /** Chooses by its words what the session allows from now on. */
  async allowForSession(scope: string): Promise<void> {
    await this.answer('Allow for session…')
    await this.ask.first().getByLabel(scope).check()
    await this.answer('Allow for session')
  }
}
