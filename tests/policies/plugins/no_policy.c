/* A library that knows nothing of policies. */
int answer(void);
int answer(void) { return 42; }
