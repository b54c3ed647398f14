// Adds up what the runners report as JSON. Pure. A runner that failed without naming a failed test, or left no
// report at all, counts as one failure: a run must never look better than its exit code.

/**
 * `wavering` names the tests that passed only at their second try.
 * @typedef {{ passed: number, failed: number, skipped: number, wavering: string[] }} Totals
 */

/** @type {Totals} */
export const nothing = { passed: 0, failed: 0, skipped: 0, wavering: [] }

const atLeastOneFailure = (totals, code) => (code !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals)

/** Vitest's report. A file that could not even be loaded has no tests in it, and is one failure. */
export function readVitestReport(report, code, countSkipped = true) {
  if (report === null) return { ...nothing, failed: 1 }
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  // The error of a first try stays in the report of a test that passed then.
  const wavering = tests.filter((test) => test.status === 'passed' && test.failureMessages.length > 0)
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const skipped = countSkipped ? report.numPendingTests + report.numTodoTests : 0
  return atLeastOneFailure(
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken.length,
      skipped,
      wavering: wavering.map((test) => test.fullName),
    },
    code,
  )
}

/** Playwright's report, in which a suite holds suites and specs. */
export function readPlaywrightReport(report, code) {
  if (report === null) return { ...nothing, failed: 1 }
  const { expected, unexpected, flaky, skipped } = report.stats
  const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]
  const wavering = specsOf(report).filter((spec) => spec.tests.some((test) => test.status === 'flaky'))
  return atLeastOneFailure(
    { passed: expected + flaky, failed: unexpected, skipped, wavering: wavering.map((spec) => spec.title) },
    code,
  )
}

/** @param {Totals[]} all */
export const addUp = (all) =>
  all.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
      wavering: [...sum.wavering, ...one.wavering],
    }),
    nothing,
  )

/** @param {Totals} totals */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

/** Said ahead of the closing line, so that a fault that shows itself once in a while is not overlooked. @param {Totals} totals */
export const waveringLines = ({ wavering }) =>
  wavering.length === 0
    ? []
    : ['Passed only at the second try, each a fault to be found:', ...wavering.map((name) => `- ${name}`)]

/** A run in which nothing passed has proved nothing. @param {Totals} totals */
export const isGreen = ({ passed, failed }) => failed === 0 && passed > 0
