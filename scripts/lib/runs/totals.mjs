// Adds up what the runners report as JSON. Pure. A runner that failed without naming a failed test, or left no
// report at all, counts as one failure: a run must never look better than its exit code.
import path from 'node:path'
import { root } from '../common/paths.mjs'

/**
 * `wavering` names the tests that passed only at their second try, `broken` those that failed, and files that could not
 * be loaded.
 * @typedef {{ passed: number, failed: number, skipped: number, wavering: string[], broken: string[] }} Totals
 */

/** @type {Totals} */
export const nothing = { passed: 0, failed: 0, skipped: 0, wavering: [], broken: [] }

const atLeastOneFailure = (totals, code) => (code !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals)

/** Vitest's report. A file that could not even be loaded has no tests in it, and is one failure. */
export function readVitestReport(report, code, countSkipped = true) {
  if (report === null) return { ...nothing, failed: 1 }
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  // The error of a first try stays in the report of a test that passed then.
  const wavering = tests.filter((test) => test.status === 'passed' && test.failureMessages.length > 0)
  const failed = tests.filter((test) => test.status === 'failed')
  const unread = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const skipped = countSkipped ? report.numPendingTests + report.numTodoTests : 0
  return atLeastOneFailure(
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unread.length,
      skipped,
      wavering: wavering.map((test) => test.fullName),
      broken: [...failed.map((test) => test.fullName), ...unread.map((file) => path.relative(root, file.name))],
    },
    code,
  )
}

/** Playwright's report, in which a suite holds suites and specs. */
export function readPlaywrightReport(report, code) {
  if (report === null) return { ...nothing, failed: 1 }
  const { expected, unexpected, flaky, skipped } = report.stats
  const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]
  const ended = (status) =>
    specsOf(report).flatMap((spec) => (spec.tests.some((test) => test.status === status) ? [spec.title] : []))
  const names = { wavering: ended('flaky'), broken: ended('unexpected') }
  return atLeastOneFailure({ passed: expected + flaky, failed: unexpected, skipped, ...names }, code)
}

/** @param {Totals[]} all */
export const addUp = (all) =>
  all.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
      wavering: [...sum.wavering, ...one.wavering],
      broken: [...sum.broken, ...one.broken],
    }),
    nothing,
  )

/** @param {Totals} totals */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

/**
 * Said ahead of the closing line, so that nobody searches a long log for what failed, and a fault that shows itself once
 * in a while is not overlooked.
 * @param {Totals} totals
 */
export const namedLines = ({ wavering, broken }) => [
  ...list('Passed only at the second try, each a fault to be found:', wavering),
  ...list('Failed:', broken),
]

const list = (title, names) => (names.length === 0 ? [] : [title, ...names.map((name) => `- ${name}`)])

/** A run in which nothing passed has proved nothing. @param {Totals} totals */
export const isGreen = ({ passed, failed }) => failed === 0 && passed > 0
