// Loaded before every test. A signal to pid 0 reaches the sender's whole process group: the test run and its caller. Code
// that found no pid could pass 0 by mistake.
const send = process.kill.bind(process)

process.kill = (pid, signal) => {
  if (!(pid > 1)) throw new Error(`A test sends ${signal ?? 'SIGTERM'} to ${pid}, which is no process that it started.`)
  return send(pid, signal)
}
