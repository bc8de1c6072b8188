/** Options of a Java that runs for seconds: it is done before the compiler for programs that run on would pay. */
export const QUICK_JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] as const
