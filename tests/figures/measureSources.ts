import { posix } from 'node:path'
import { placeOf } from '../architecture/folderCycles'
import { isAbortListener, isGroupingSpread } from '../architecture/habits'
import { importsOf } from '../architecture/importScan'
import { parseSource, type SyntaxNode, walkSyntax } from '../architecture/syntax'

export type SourceFile = { readonly path: string; readonly source: string }

type Group = {
  readonly modules: number
  readonly lines: number
  readonly spreads: number
  readonly listeners: number
  /** `path  lines`, longest first. */
  readonly long: readonly string[]
  readonly short: readonly string[]
}

export type Figures = {
  readonly product: Group
  readonly tests: Group
  readonly asyncListeners: number
  /** `a ⇄ b` */
  readonly folderPairs: readonly string[]
  /** How many modules of the product have logic: eight or more conditions and loops. */
  readonly withLogic: number
  readonly untested: readonly string[]
}

const LONG = 200
const SHORT = 20

type Parsed = SourceFile & { readonly program: SyntaxNode; readonly lines: number }

/** @param files of the product and of the tests, with paths from the top of the project */
export function measureSources(files: readonly SourceFile[]): Figures {
  const parsed = files.map((file): Parsed => {
    const program = parseSource(file.path, file.source)
    return { ...file, program, lines: file.source.split('\n').length - 1 }
  })
  const product = parsed.filter(({ path }) => /^(core|handlers|local-runner)\/.*\.tsx?$/.test(path))
  const tests = parsed.filter(({ path }) => path.startsWith('tests/'))
  const inAsync = product.filter(({ path }) => path.startsWith('core/async/'))
  const tested = new Set(
    tests.filter(({ path }) => path.endsWith('.test.ts')).map(({ path }) => nameOfTest(path)),
  )
  const withLogic = product.filter(needsTest)
  return {
    product: measureGroup(product, (node) => isAbortListener(node), inAsync),
    tests: measureGroup(tests, () => false),
    asyncListeners: count(inAsync, isAbortListener),
    folderPairs: pairsOf(product),
    withLogic: withLogic.length,
    untested: withLogic
      .filter(({ path }) => !tested.has(posix.basename(path).replace(/\.tsx?$/, '')))
      .map(({ path }) => path),
  }
}

function measureGroup(
  files: readonly Parsed[],
  isListener: (node: SyntaxNode) => boolean,
  except: readonly Parsed[] = [],
): Group {
  const shown = ({ path, lines }: Parsed) => `${path}  ${lines}`
  const bySize = [...files].sort((a, b) => b.lines - a.lines)
  return {
    modules: files.filter(({ path }) => !isDeclaration(path)).length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    spreads: count(files, isGroupingSpread),
    listeners: count(
      files.filter((file) => !except.includes(file)),
      isListener,
    ),
    long: bySize.filter(({ lines }) => lines > LONG).map(shown),
    short: bySize.filter(({ path, lines }) => lines <= SHORT && !isDeclaration(path)).map(shown),
  }
}

/** Ambient declarations are no module: nothing imports them, and a wildcard can only be declared in a file of its own. */
function isDeclaration(path: string): boolean {
  return path.endsWith('.d.ts')
}

function count(
  files: readonly Parsed[],
  isMeant: (node: SyntaxNode, parent: SyntaxNode | undefined) => boolean,
): number {
  let found = 0
  for (const { program } of files)
    walkSyntax(program, (node, ancestors) => {
      if (isMeant(node, ancestors.at(-1))) found += 1
    })
  return found
}

/** `clip` for `tests/unit/media/convert/clip.test.ts`, and for `clip.lan.test.ts`. */
function nameOfTest(path: string): string {
  return posix.basename(path).split('.')[0] ?? ''
}

const conditions =
  /^(If|For|ForOf|ForIn|While|DoWhile|Switch|Try)Statement$|^(Conditional|Logical)Expression$/
const MANY_CONDITIONS = 8

/**
 * Whether a test of its own name is to be expected: a module that decides much. Adapters are left out, which the suites of
 * their ports in tests/contract prove; composers, which the flows prove; and what pages draw, which the flows in a browser prove.
 */
function needsTest({ path, program }: Parsed): boolean {
  if (path.startsWith('core/adapters/') || path.endsWith('.tsx') || /(^|\/)(compose|main)\.ts$/.test(path))
    return false
  let found = 0
  walkSyntax(program, (node, ancestors) => {
    const isInFunction = ancestors.some(({ type }) => /Function|ObjectMethod|ClassMethod/.test(type))
    if (isInFunction && conditions.test(node.type)) found += 1
  })
  return found >= MANY_CONDITIONS
}

/** Folders of which each imports the other; a composer beside folders stands for itself. */
function pairsOf(files: readonly Parsed[]): string[] {
  const edges = new Set<string>()
  const known = new Set(files.map(({ path }) => path))
  for (const { path, program } of files)
    for (const { specifier } of importsOf(program)) {
      const target = specifier && targetOf(path, specifier)
      if (!target || !known.has(`${target}.ts`)) continue
      const [from, to] = [placeOf(path), placeOf(`${target}.ts`)]
      if (from !== to) edges.add(`${from} ${to}`)
    }
  return [...edges].flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' ')
    return from < to && edges.has(`${to} ${from}`) ? [`${from} ⇄ ${to}`] : []
  })
}

function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#core/')) return specifier.slice(1)
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
}
