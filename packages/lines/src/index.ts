export { type Line, type LineEnds, LineSplitter } from './line-splitter'
