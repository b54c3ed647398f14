// Adds up what the runners report as JSON. Pure. A runner that failed without naming a failed test, or left no
// report at all, counts as one failure: a run must never look better than its exit code.

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals */

/** @type {Totals} */
export const nothing = { passed: 0, failed: 0, skipped: 0 }

const atLeastOneFailure = (totals, code) => (code !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals)

/** Vitest's report. A file that could not even be loaded has no tests in it, and is one failure. */
export function readVitestReport(report, code, countSkipped = true) {
  if (report === null) return { ...nothing, failed: 1 }
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const skipped = countSkipped ? report.numPendingTests + report.numTodoTests : 0
  return atLeastOneFailure(
    { passed: report.numPassedTests, failed: report.numFailedTests + broken.length, skipped },
    code,
  )
}

/** Playwright's report. A flaky test passed only when it was tried again: that is no pass. */
export function readPlaywrightReport(report, code) {
  if (report === null) return { ...nothing, failed: 1 }
  const { expected, unexpected, flaky, skipped } = report.stats
  return atLeastOneFailure({ passed: expected, failed: unexpected + flaky, skipped }, code)
}

/** @param {Totals[]} all */
export const addUp = (all) =>
  all.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    nothing,
  )

/** @param {Totals} totals */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

/** A run in which nothing passed has proved nothing. @param {Totals} totals */
export const isGreen = ({ passed, failed }) => failed === 0 && passed > 0
