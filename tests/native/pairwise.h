// Pairwise test cases: a few combinations of the levels of several factors that contain each pair of levels of any two
// factors.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

/// Rows with a level below levels[f] for each factor f. The algorithm is greedy: it draws a few rows with a pair that
/// has not occurred yet, and takes the row with the most such pairs.
inline std::vector<std::vector<int>> pairwise(const std::vector<int>& levels, unsigned seed) {
  const int factors = static_cast<int>(levels.size());
  std::vector<int> first(factors + 1, 0);
  for (int f = 0; f < factors; ++f) first[f + 1] = first[f] + levels[f];
  const int total = first[factors];

  struct Pair {
    int f, g, a, b;
  };
  std::vector<Pair> pairs;
  for (int f = 0; f < factors; ++f) {
    for (int g = f + 1; g < factors; ++g) {
      for (int a = 0; a < levels[f]; ++a) {
        for (int b = 0; b < levels[g]; ++b) pairs.push_back({f, g, a, b});
      }
    }
  }
  std::vector<char> met(static_cast<size_t>(total) * total, 0);
  const auto meets = [&](int f, int a, int g, int b) -> char& {
    return met[static_cast<size_t>(first[f] + a) * total + first[g] + b];
  };

  std::mt19937 generator(seed);
  std::vector<std::vector<int>> rows;
  for (const Pair& pair : pairs) {
    if (meets(pair.f, pair.a, pair.g, pair.b)) continue;
    std::vector<int> best;
    int best_count = 0;
    for (int candidate = 0; candidate < 20; ++candidate) {
      std::vector<int> row(factors);
      for (int f = 0; f < factors; ++f) row[f] = static_cast<int>(generator() % levels[f]);
      row[pair.f] = pair.a;
      row[pair.g] = pair.b;
      int count = 0;
      for (int f = 0; f < factors; ++f) {
        for (int g = f + 1; g < factors; ++g) count += !meets(f, row[f], g, row[g]);
      }
      if (count > best_count) {
        best_count = count;
        best = row;
      }
    }
    for (int f = 0; f < factors; ++f) {
      for (int g = f + 1; g < factors; ++g) meets(f, best[f], g, best[g]) = 1;
    }
    rows.push_back(best);
  }
  return rows;
}
