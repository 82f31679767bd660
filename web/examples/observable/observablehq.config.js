export default {
  title: 'Who may see whom?',
  root: 'src',
  // Nothing from other servers.
  globalStylesheets: [],
};
