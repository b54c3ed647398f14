/** Leaves out the summaries of routes and frames: only the hub's documents show them, and a page would fetch all of them. */
module.exports = (source) => source.replace(/\bsummary:\s*'(?:[^'\\\n]|\\.)*',?/g, '')
