/**
 * The Playwright test of stories: a `system` for each test, a page that is signed in, and the few moves that a person
 * makes. Stories read as sentences; how to click is said here once.
 */
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { type BackendKind, missingReason } from './backends'
import { owner } from './hub-process'
import { type System, startSystem } from './system'

export { expect }

export interface StoryFixtures {
  kind: BackendKind
  system: System
  person: Person
}

export const test = base.extend<StoryFixtures>({
  kind: ['scripted', { option: true }],
  system: async ({ kind }, use) => {
    const missing = await missingReason(kind)
    base.skip(missing !== null, missing ?? '')
    const system = await startSystem(kind)
    await use(system)
    await system.dispose()
  },
  person: async ({ page, system }, use) => {
    const person = new Person(page, system)
    await person.signIn()
    await use(person)
  },
})

/** The same stories on one backend; the tag in the title is how the runs are told apart. */
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

  async signIn(): Promise<void> {
    await this.page.goto(`${this.system.hub.url}/login`)
    await this.page.getByLabel('E-mail').fill(owner.email)
    await this.page.getByLabel('Password').fill(owner.password)
    await this.page.getByRole('button', { name: 'Sign in' }).click()
    await expect(this.page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  }

  /** Through the dialog, as anybody would. Resolves to the session's id. */
  async startSession(prompt: string): Promise<string> {
    await this.page.getByRole('button', { name: 'New session' }).first().click()
    await this.page.getByLabel('Backend').selectOption(this.system.kind)
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
}
