// Loaded before every test. A signal to the number 0 goes to the sender's whole group: the test run, and what called it.
// That number is what a pid becomes where nobody was found to have one.
const send = process.kill.bind(process)

process.kill = (pid, signal) => {
  if (!(pid > 1)) throw new Error(`A test sends ${signal ?? 'SIGTERM'} to ${pid}, which is no process that it started.`)
  return send(pid, signal)
}
