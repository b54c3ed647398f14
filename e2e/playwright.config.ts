import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'
import '../scripts/lib/runs/no-own-group.mjs'

const installed = ['chromium-headless-shell', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`)
const chromium = [process.env.CHROMIUM_PATH, ...installed].find((path) => path && existsSync(path))

/** Titles carry the name of the real program where one runs. */
const ofRealPrograms = /\[(claude|codex|opencode|gemini)\]/

/** Each story starts its own hub and agent from the production build. */
export default defineConfig({
  testDir: 'stories',
  // Stories of one file stay in their order. A browser, a hub and an agent for each of two files fill two processors.
  workers: 2,
  retries: 0,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  outputDir: '../test-results/playwright',
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    // Traces cost as much as the stories: a build server makes them at the second try, a person by asking for them.
    trace: process.env.ROUNDHOUSE_TRACE ? 'retain-on-failure' : 'on-first-retry',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    // In this order, since what begins last runs alone.
    { name: 'real', grep: ofRealPrograms },
    { name: 'stories', grepInvert: ofRealPrograms },
  ],
})
